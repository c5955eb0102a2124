"""Event loops of asyncio that a test makes.

How a loop waits and is woken is a long story of a socket and an epoll, which each execution would have to make anew, and not the test's. So
while threads are explored a loop that watches no descriptor waits for a lock: a thread that wakes it hands over its callback and releases
the lock, both inside a second lock, so that the order in which two threads do so is part of a schedule. From the first descriptor that
it watches, or signal that it handles, it is the loop that it always is.
"""

from __future__ import annotations

import _thread
import asyncio
import selectors
import threading
from asyncio import selector_events, unix_events
from collections.abc import Callable
from contextlib import nullcontext
from typing import Any

_LOOP: Any = selector_events.BaseSelectorEventLoop
_UNIX_LOOP: Any = unix_events.SelectorEventLoop


class ModelledSelector(selectors.BaseSelector):
    """A selector without descriptors. What is asked of it with one is asked of the loop's own selector, which is made then."""

    def __init__(self, watch_descriptors: Callable[[], selectors.BaseSelector]) -> None:
        self._watch_descriptors = watch_descriptors
        self._asleep = _thread.allocate_lock()
        self._asleep.acquire()
        self._woken = False
        self.order = _thread.allocate_lock()  # of whatever threads hand over

    def select(self, timeout: float | None = None) -> list[Any]:
        seconds = -1 if timeout is None else min(timeout, _thread.TIMEOUT_MAX)
        if seconds and self._asleep.acquire(timeout=seconds):
            with self.order:
                self._woken = False
        return []

    def wake(self) -> None:
        """Called with `order`."""
        if not self._woken:
            self._woken = True
            self._asleep.release()

    def register(self, fileobj: Any, events: int, data: Any = None) -> Any:
        return self._watch_descriptors().register(fileobj, events, data)

    def unregister(self, fileobj: Any) -> Any:
        raise KeyError(f"{fileobj!r} is not registered")

    def get_map(self) -> dict[Any, Any]:
        return {}

    def close(self) -> None:
        pass


def watch_event_loops(fork_point: Callable[[], None]) -> None:
    """For the rest of this process. Executions begin before a loop is made."""
    make, make_pipe, close_pipe, write = (_LOOP.__init__, _LOOP._make_self_pipe, _LOOP._close_self_pipe, _LOOP._write_to_self)
    hand_over, handle_signal = _LOOP.call_soon_threadsafe, _UNIX_LOOP.add_signal_handler

    def watch_descriptors(loop: Any) -> selectors.BaseSelector:
        if isinstance(loop._selector, ModelledSelector):
            loop._internal_fds -= 1
            loop._selector = selectors.DefaultSelector()
            make_pipe(loop)
            write(loop)  # somebody may have woken it already
        return loop._selector  # type: ignore[no-any-return]

    def made(loop: Any, selector: Any = None) -> None:
        fork_point()
        make(loop, ModelledSelector(lambda: watch_descriptors(loop)) if selector is None else selector)

    def pipe_made(loop: Any) -> None:
        if isinstance(loop._selector, ModelledSelector):
            loop._ssock = loop._csock = None
            loop._internal_fds += 1
        else:
            make_pipe(loop)

    def pipe_closed(loop: Any) -> None:
        if isinstance(loop._selector, ModelledSelector):
            loop._internal_fds -= 1
        else:
            close_pipe(loop)

    def written(loop: Any) -> None:
        if not isinstance(loop._selector, ModelledSelector):
            write(loop)
        elif loop._thread_id != threading.get_ident():
            loop._selector.wake()

    def handed_over(loop: Any, callback: Any, *arguments: Any, context: Any = None) -> Any:
        waits = isinstance(loop._selector, ModelledSelector) and loop._thread_id != threading.get_ident()
        with loop._selector.order if waits else nullcontext():
            return hand_over(loop, callback, *arguments, context=context)

    def signal_handled(loop: Any, *arguments: Any) -> None:
        watch_descriptors(loop)
        handle_signal(loop, *arguments)

    async def executor_shut_down(loop: Any, timeout: float | None = None) -> None:
        """Without the thread that asyncio starts for it."""
        loop._executor_shutdown_called = True
        if loop._default_executor is not None:
            tasks = [asyncio.wrap_future(task, loop=loop) for task in loop._default_executor._pool.tasks if not task.done()]
            if tasks:
                await asyncio.wait(tasks, timeout=timeout)
            loop._default_executor.shutdown(wait=True)

    _LOOP.__init__, _LOOP._make_self_pipe, _LOOP._close_self_pipe, _LOOP._write_to_self = made, pipe_made, pipe_closed, written
    _LOOP.call_soon_threadsafe, _UNIX_LOOP.add_signal_handler = handed_over, signal_handled
    _LOOP.shutdown_default_executor = executor_shut_down
