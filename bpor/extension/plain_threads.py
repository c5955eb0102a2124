"""Threads that a test makes by itself, with threading.Thread or what is built on it.

How the interpreter starts and ends a thread is a long story of locks, and not the test's. So a new thread starts unexplored and waits at a
gate before its run(), it leaves after it, and join() waits for that. A join with a timeout waits like one without: by default timeouts
happen when nothing else can, and a thread that never ends is a deadlock, which is what the timeout of such a test is to find.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from typing import Any, Protocol

from bpor.extension.library import Library


class Explorer(Protocol):
    library: Library
    own_threads: bool  # threads that start now are the tool's

    def fork_point(self) -> None: ...

    def explore(self, on: bool) -> bool:
        """Switches exploration on or off; how it was before."""
        ...


def watch_threads(explorer: Explorer) -> Callable[[], None]:
    """For the rest of this process. Returns how to join those that nobody has joined, daemons excepted."""
    start, join, is_alive = threading.Thread.start, threading.Thread.join, threading.Thread.is_alive
    started: set[threading.Thread] = set()
    joined: set[threading.Thread] = set()

    def started_by_test(thread: threading.Thread) -> None:
        if explorer.own_threads:
            return start(thread)
        explorer.fork_point()
        explorer.explore(False)
        run = thread.run
        thread.run = lambda: _run(run, explorer.library)  # type: ignore[method-assign]
        started.add(thread)
        start(thread)
        explorer.explore(True)

    def joined_by_test(thread: threading.Thread, timeout: float | None = None) -> None:
        if thread not in started or thread is threading.current_thread() or thread.ident is None:
            return join(thread, timeout)
        explorer.library.join(thread.ident)
        joined.add(thread)

    def is_alive_for_test(thread: threading.Thread) -> bool:
        """One that has left ends for the interpreter when nobody is explored any more."""
        return thread not in joined and is_alive(thread)

    def join_all() -> None:
        for thread in started - joined:
            if not thread.daemon:
                joined_by_test(thread)

    patched: Any = threading.Thread
    patched.start, patched.join, patched.is_alive = started_by_test, joined_by_test, is_alive_for_test
    return join_all


def _run(run: Callable[[], None], library: Library) -> None:
    """An exception is told while it can be seen where it came from."""
    library.gate()
    try:
        run()
    except SystemExit:
        pass
    except BaseException:
        threading.excepthook(threading.ExceptHookArgs((*sys.exc_info(), threading.current_thread())))
    finally:
        library.leave()
