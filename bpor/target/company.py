"""Company: a controller that waits for one execution after another keeps to the processor of its target.

The two take turns. On one processor a turn is a plain context switch; on two it wakes an idle one each time, which takes longer than a
small execution. So that nobody stays on a crowded processor while another one is idle, the controller is let go now and then, and its
target follows it to where the system has put it.
"""

from __future__ import annotations

import contextlib
import math
import os
import threading
import time
from pathlib import Path

_TOGETHER = 1.0  # seconds
_APART = 0.01  # seconds: time enough to be moved from a processor with several who want to run to one with nobody

_thread = threading.local()  # .allowed: the processors it may use, while it is kept on one of them


class Company:
    def __init__(self, target: int) -> None:
        self._target = target
        self._change_at = 0.0

    def keep(self) -> None:
        """Before an execution that this thread will wait for."""
        now = time.monotonic()
        if now < self._change_at:
            return
        if is_kept():
            let_go()
            self._change_at = now + _APART
        else:
            self._change_at = now + _TOGETHER if self._join() else math.inf

    def _join(self) -> bool:
        allowed = os.sched_getaffinity(0)
        if len(allowed) < 2:
            return False
        here = {_processor()}
        with contextlib.suppress(OSError):  # the target is gone, or the system says where we may be
            os.sched_setaffinity(self._target, here)
            os.sched_setaffinity(0, here)
            _thread.allowed = allowed
        return is_kept()


def is_kept() -> bool:
    return hasattr(_thread, "allowed")


def let_go() -> None:
    """This thread may be everywhere again, and whatever it starts."""
    if is_kept():
        with contextlib.suppress(OSError):
            os.sched_setaffinity(0, _thread.allowed)
        del _thread.allowed


def _processor() -> int:
    """Where this thread runs."""
    return int(Path("/proc/thread-self/stat").read_text().rpartition(")")[2].split()[36])
