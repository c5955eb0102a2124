"""Deadline: when `--max-time` is over, for everything that is done for one program: starting it, searching, repeating what was found.

Invariant: nothing that waits for the program waits beyond the end and LATEST; a failure that was found moves the end, once. Python's own
work is not interrupted.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable

LATEST = 1.5  # seconds after the end: time to start the program once more and to repeat a finding
REPEATING = 10.0  # seconds that a failure has to be repeated in, if less is left: an unrepeated one is no finding


class Deadline:
    def __init__(self, seconds: float | None = None, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._end = math.inf if seconds is None else clock() + seconds

    @property
    def endless(self) -> bool:
        return math.isinf(self._end)

    @property
    def left(self) -> float:
        """Seconds."""
        return max(self._end - self._clock(), 0.0)

    def prolong(self, seconds: float) -> None:
        """At least so long from now on."""
        self._end = max(self._end, self._clock() + seconds)

    def allows(self, courtesy: float) -> float:
        """Seconds for something that is waited for from now on: until the end, or so long if that is near or over."""
        now = self._clock()
        return max(min(max(self._end, now + courtesy), self._end + LATEST) - now, 0.0)
