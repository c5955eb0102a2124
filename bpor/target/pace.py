"""Pace: how long the batches of a crew last, and when those that are done end one for all.

Between two batches nobody searches: answers are taken and orders given, one after the other. So a batch lasts at least as long as that
takes; and whoever is done waits until the waiting of all those has cost what a pause costs everybody. To end a batch sooner costs many a
pause for the sake of one, and to end it later lets many wait.
"""

from __future__ import annotations

import time
from collections.abc import Callable

LONGEST = 3.0  # seconds of a batch that was made longer; ten times that on a cluster


class Pace:
    def __init__(self, size: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._size, self._clock = size, clock
        self._pauses = (0.0, 0.0)  # the last two: of those one may have been used for something else, as a checkpoint
        self._over: float | None = None
        self._waiting: list[float] = []  # since when

    @property
    def _pause(self) -> float:
        return min(self._pauses)

    def begin(self, seconds: float) -> float:
        """A batch begins: how long it lasts at most, if it was to last so long."""
        if self._over is not None:
            self._pauses = (self._pauses[1], self._clock() - self._over)
        self._waiting = []
        return max(seconds, min(self._pause, LONGEST))

    def done(self) -> None:
        """Somebody is, and would like more."""
        self._waiting.append(self._clock())

    @property
    def patience(self) -> float | None:
        """Seconds for which it is worth waiting for the others; None: nobody waits."""
        if not self._waiting:
            return None
        now = self._clock()
        waited = sum(now - since for since in self._waiting)
        return max(self._size * self._pause - waited, 0.0) / len(self._waiting)

    def over(self) -> None:
        """Everybody has answered."""
        self._over = self._clock()
