"""Pools of threads that a test makes: ThreadPoolExecutor, also asyncio's, and ThreadPool.

A pool hands its tasks to its workers by queues, locks and weak references, which are not what the test is about. So while threads are
explored every task has a thread of its own, which waits until fewer than `max_workers` others run, in the order of submission; whoever
wants its result joins that thread. What two tasks of one worker share through thread-local state is not explored.
"""

from __future__ import annotations

import _thread
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterable
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor
from concurrent.futures import _base as futures
from typing import Any


class Pool:
    """Tasks, each in a thread of its own, at most so many at once. Its own state changes where nobody can come between: in plain Python."""

    def __init__(self, most: int, initializer: Callable[..., object] | None = None, arguments: Iterable[Any] = ()) -> None:
        self._free, self._waiting = most, deque[Any]()
        self._initializer, self._arguments = initializer, tuple(arguments)
        self.tasks: list[Task] = []
        self.closed = False

    def submit(self, function: Callable[[], Any]) -> Task:
        if self.closed:
            raise RuntimeError("cannot schedule new futures after shutdown")
        turn = None
        if self._free:
            self._free -= 1
        else:
            turn = _thread.allocate_lock()
            turn.acquire()
            self._waiting.append(turn)
        task = Task()
        task.thread = threading.Thread(target=self._work, args=(task, function, turn), name="pool")
        self.tasks.append(task)
        task.thread.start()
        return task

    def _work(self, task: Task, function: Callable[[], Any], turn: Any) -> None:
        if turn is not None:
            turn.acquire()
        try:
            if task.begin():
                if self._initializer is not None:
                    self._initializer(*self._arguments)
                task.end(function(), None)
        except BaseException as error:
            task.end(None, error)
        if self._waiting:
            self._waiting.popleft().release()
        else:
            self._free += 1

    def join(self) -> None:
        for task in self.tasks:
            task.thread.join()


class Task(Future[Any]):
    """Whoever waits for it waits for its thread; so what it is is asked and said without the condition of a future."""

    thread: threading.Thread
    _waiters: list[Any]  # of Future, whose types leave it out
    _done_callbacks: list[Any]
    _invoke_callbacks: Callable[[], None]

    def begin(self) -> bool:
        if self._state == futures.CANCELLED:
            return False
        self._state = futures.RUNNING
        return True

    def end(self, result: Any, error: BaseException | None) -> None:
        self._result, self._exception, self._state = result, error, futures.FINISHED
        for waiter in self._waiters:
            waiter.add_result(self) if error is None else waiter.add_exception(self)
        self._invoke_callbacks()

    def add_done_callback(self, fn: Callable[[Any], object]) -> None:
        if self.done():
            super().add_done_callback(fn)
        else:
            self._done_callbacks.append(fn)

    def result(self, timeout: float | None = None) -> Any:
        if (error := self.exception(timeout)) is not None:
            raise error
        return self._result

    def exception(self, timeout: float | None = None) -> BaseException | None:
        self._await(timeout)
        if self.cancelled():
            raise CancelledError
        return self._exception

    def cancelled(self) -> bool:
        return self._state in (futures.CANCELLED, futures.CANCELLED_AND_NOTIFIED)

    def running(self) -> bool:
        return self._state == futures.RUNNING

    def _await(self, timeout: float | None) -> None:
        if not self.done():
            self.thread.join(timeout)
        if not self.done():
            raise TimeoutError

    def done(self) -> bool:
        return self._state == futures.FINISHED or self.cancelled()


def watch_pools() -> None:
    """For the rest of this process: those of modules that are loaded. To load one is not the same work every time, and is counted."""
    _watch_executors()
    if "multiprocessing.pool" in sys.modules:
        _watch_multiprocessing()


def _watch_executors() -> None:
    def made(self: Any, max_workers: int | None = None, thread_name_prefix: str = "", initializer: Any = None, initargs: Any = ()) -> None:
        make(self, max_workers, thread_name_prefix, initializer, initargs)
        self._pool = Pool(self._max_workers, initializer, initargs)

    def submit(self: Any, function: Callable[..., Any], /, *arguments: Any, **named: Any) -> Task:
        task: Task = self._pool.submit(lambda: function(*arguments, **named))
        return task

    def shutdown(self: Any, wait: bool = True, *, cancel_futures: bool = False) -> None:
        self._pool.closed = True
        for task in self._pool.tasks if cancel_futures else ():
            task.cancel()
        if wait:
            self._pool.join()

    patched: Any = ThreadPoolExecutor
    make = patched.__init__
    patched.__init__, patched.submit, patched.shutdown = made, submit, shutdown


def _watch_multiprocessing() -> None:
    import multiprocessing
    from multiprocessing import pool

    class TaskResult:
        """An AsyncResult of one task or of several."""

        def __init__(self, tasks: list[Task], one: bool, callback: Any = None, error_callback: Any = None) -> None:
            self._tasks, self._one, self._callbacks = tasks, one, (callback, error_callback)

        def get(self, timeout: float | None = None) -> Any:
            self.wait(timeout)
            if not self.ready():
                raise multiprocessing.TimeoutError
            results = [task.result() for task in self._tasks]
            return results[0] if self._one else results

        def wait(self, timeout: float | None = None) -> None:
            for task in self._tasks:
                task.thread.join(timeout)

        def ready(self) -> bool:
            return all(task.done() for task in self._tasks)

        def successful(self) -> bool:
            return all(task.exception() is None for task in self._tasks)

    def made(self: Any, processes: int | None = None, initializer: Any = None, initargs: Any = ()) -> None:
        self._tasks = Pool(processes or 1, initializer, initargs)

    def apply_async(
        self: Any, function: Any, args: Any = (), kwds: Any = None, callback: Any = None, error_callback: Any = None
    ) -> TaskResult:
        def call() -> Any:
            try:
                result = function(*args, **(kwds or {}))
            except Exception as error:
                if error_callback is not None:
                    error_callback(error)
                raise
            if callback is not None:
                callback(result)
            return result

        return TaskResult([self._tasks.submit(call)], True)

    def each(self: Any, function: Any, items: Any, star: bool) -> list[Task]:
        return [self._tasks.submit(lambda item=item: function(*item) if star else function(item)) for item in items]

    def close(self: Any) -> None:
        self._tasks.closed = True

    def terminate(self: Any, *_: object) -> None:
        """Waits for no task that runs, and begins no other."""
        close(self)
        for task in self._tasks.tasks:
            task.cancel()

    methods: dict[str, Any] = {
        "__init__": made,
        "__enter__": lambda self: self,
        "__exit__": terminate,
        "__del__": lambda self, *_: None,
        "__repr__": lambda self: "<ThreadPool, explored>",
        "apply_async": apply_async,
        "apply": lambda self, function, args=(), kwds=None: apply_async(self, function, args, kwds).get(),
        "map": lambda self, function, items, chunksize=None: TaskResult(each(self, function, items, False), False).get(),
        "starmap": lambda self, function, items, chunksize=None: TaskResult(each(self, function, items, True), False).get(),
        "map_async": lambda self, function, items, chunksize=None, *_: TaskResult(each(self, function, items, False), False),
        "starmap_async": lambda self, function, items, chunksize=None, *_: TaskResult(each(self, function, items, True), False),
        "imap": lambda self, function, items, chunksize=1: iter(TaskResult(each(self, function, items, False), False).get()),
        "imap_unordered": lambda self, function, items, chunksize=1: iter(TaskResult(each(self, function, items, False), False).get()),
        "close": close,
        "terminate": terminate,
        "join": lambda self: self._tasks.join(),
    }
    for name, method in methods.items():
        setattr(pool.ThreadPool, name, method)
