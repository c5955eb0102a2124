"""Threads that a test makes by itself, with threading.Thread or what is built on it.

The interpreter starts and ends a thread with many locks of its own, which are not what the test is about. So a new thread starts unexplored
and waits at a gate before its run(), it leaves after it, and join() waits for that. A join with a timeout waits for a lock that the thread
releases when it leaves: it times out where such a lock does.
"""

from __future__ import annotations

import _thread
import ctypes
import sys
import threading
from collections.abc import Callable
from typing import Any, Protocol

from bpor.extension.library import Library


class RegionExplorer(Protocol):
    library: Library
    own_threads: bool  # threads that start now are the tool's

    def fork_point(self) -> None: ...

    def explore(self, on: bool) -> bool:
        """Switches exploration on or off; how it was before."""
        ...


def watch_threads(explorer: RegionExplorer) -> Callable[[], None]:
    """For the rest of this process. Returns how to join those that nobody has joined, daemons excepted."""
    start, join, is_alive = threading.Thread.start, threading.Thread.join, threading.Thread.is_alive
    started: set[threading.Thread] = set()
    joined: set[threading.Thread] = set()
    ended: set[threading.Thread] = set()
    awaited: dict[threading.Thread, list[Any]] = {}  # locks of those who join with a timeout

    def started_by_test(thread: threading.Thread) -> None:
        if explorer.own_threads:
            return start(thread)
        explorer.fork_point()
        explorer.explore(False)
        run = thread.run
        thread.run = lambda: _run(run, explorer.library, lambda: ends(thread))  # type: ignore[method-assign]
        started.add(thread)
        start(thread)
        explorer.explore(True)

    def ends(thread: threading.Thread) -> None:
        ended.add(thread)
        for lock in awaited.pop(thread, ()):
            lock.release()

    def ends_in_time(thread: threading.Thread, seconds: float) -> bool:
        if thread in ended:
            return True
        lock = _thread.allocate_lock()
        lock.acquire()
        awaited.setdefault(thread, []).append(lock)
        return lock.acquire(timeout=min(max(seconds, 0), _thread.TIMEOUT_MAX))

    def joined_by_test(thread: threading.Thread, timeout: float | None = None) -> None:
        if thread not in started or thread is threading.current_thread() or thread.ident is None:
            return join(thread, timeout)
        if timeout is not None and not ends_in_time(thread, timeout):
            return None
        explorer.library.join(thread.ident)
        joined.add(thread)

    def is_alive_for_test(thread: threading.Thread) -> bool:
        """One that has left ends for the interpreter when nobody is explored any more."""
        return thread not in ended and is_alive(thread)

    def join_all() -> None:
        for thread in started - joined:
            if not thread.daemon:
                joined_by_test(thread)

    patched: Any = threading.Thread
    patched.start, patched.join, patched.is_alive = started_by_test, joined_by_test, is_alive_for_test
    return join_all


def _run(run: Callable[[], None], library: Library, ends: Callable[[], None]) -> None:
    """An exception is told while it can be seen where it came from."""
    library.gate()
    try:
        run()
    except SystemExit:
        pass
    except BaseException:
        threading.excepthook(threading.ExceptHookArgs((*sys.exc_info(), threading.current_thread())))
    finally:
        end_locals()
        ends()
        library.leave()


_locals, _clear = ctypes.pythonapi.PyThreadState_GetDict, ctypes.pythonapi.PyDict_Clear
_locals.argtypes, _locals.restype = [], ctypes.c_void_p
_clear.argtypes, _clear.restype = [ctypes.c_void_p], None


def end_locals() -> None:
    """What the running thread keeps in a threading.local ends with it, before anybody has joined it. From 3.13 on it is kept elsewhere."""
    _clear(_locals())
