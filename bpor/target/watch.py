"""TargetWatch: measures how long a thread has not reached a scheduling point, counting only time in which it could have.

For a thread that can run this is processor time, for one that waits it is clock time, so that on a busy machine the watchdog is late and
never wrong. A process that gets no processor time at all (a frozen control group) is ended after AT_LAST times the limit.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path

from bpor.lazy_dataclass import dataclass

AT_LAST = 30
_TGKILL = 234  # on x86-64
_WATCHDOG_SIGNAL = 64
_TICK = 0.1  # seconds between two looks, of limits that are not smaller than that themselves
_TICKS_PER_SECOND = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True, slots=True)
class Sight:
    """A thread of another process: who it is, whether it wants a processor, and how long it has had one."""

    thread: tuple[int, int]
    runnable: bool = False
    used: float = 0.0  # seconds


def _facts(path: str) -> list[str]:
    """Of proc(5), from the state on; of one that is gone, none. The name before it need not be text."""
    try:
        return Path(path).read_bytes().rpartition(b")")[2].decode().split()
    except OSError:
        return []


def parent_of(process: int) -> int | None:
    facts = _facts(f"/proc/{process}/stat")
    return int(facts[1]) if facts else None


def is_over(process: int) -> bool:
    """It has ended, and at most waits to be asked how."""
    return _facts(f"/proc/{process}/stat")[:1] in ([], ["Z"], ["X"])


def sight(process: int, thread: int) -> Sight:
    """One that is gone waits for ever."""
    words = _facts(f"/proc/{process}/task/{thread}/stat")
    if not words:
        return Sight((process, thread))
    return Sight((process, thread), words[0] == "R", (int(words[11]) + int(words[12])) / _TICKS_PER_SECOND)


def send_watchdog(process: int, thread: int) -> None:
    """To that very thread, which Python has no function for. One that is gone is not told."""
    import ctypes

    ctypes.CDLL(None).syscall(_TGKILL, process, thread, _WATCHDOG_SIGNAL)


class TargetWatch:
    def __init__(
        self,
        limit: float,
        progress: Callable[[], int],
        running: Callable[[], tuple[int, int]],
        clock: Callable[[], float] = time.monotonic,
        look: Callable[[int, int], Sight] = sight,
    ) -> None:
        self.limit, self._progress, self._running, self._clock, self._look = limit, progress, running, clock, look
        self.tick = min(_TICK, limit / 10)
        self._begin(progress(), look(*running()))

    def _begin(self, progress: int, seen: Sight) -> None:
        self._waited, self._at, self._seen = 0.0, progress, seen
        self._since = self._then = self._clock()

    def overdue(self) -> bool:
        """Called once in a while: has the limit been reached?"""
        progress, seen, now = self._progress(), self._look(*self._running()), self._clock()
        if progress != self._at or seen.thread != self._seen.thread:
            self._begin(progress, seen)
            return False
        self._waited += min(seen.used - self._seen.used, now - self._then) if seen.runnable else now - self._then
        self._seen, self._then = seen, now
        return self._waited >= self.limit or now - self._since >= self.limit * AT_LAST
