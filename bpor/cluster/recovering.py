"""Recovering: checkpoints in memory. When a worker is lost, what it knew is lost with it, so the whole search goes back to the last
checkpoint, and goes on from there with those that are left: nothing is lost, and nothing is counted twice.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from bpor.model.executor import Executor
from bpor.search.explorer import Checkpoints, Explorer, Frozen
from bpor.search.resume import freeze, load_search, save_search, thaw

INTERVAL = 2.0  # seconds
_SHARE = 10  # at most this part of the time goes into them


class Recovering:
    def __init__(self, kept: Checkpoints | None, interval: float = INTERVAL, clock: Callable[[], float] = time.monotonic) -> None:
        """`kept`: those of a later process; what is saved there, as often as it is, serves here too."""
        self._kept, self._interval, self._clock = kept, interval, clock
        self._due = clock() + interval
        self._saved: Frozen | None = None

    def begin(self, explorer: Explorer, executor: Executor) -> None:
        if self._saved is not None:
            load_search(explorer, thaw(*self._saved), executor)
        elif self._kept is not None:
            self._kept.begin(explorer, executor)

    def executed(self, explorer: Explorer) -> None:
        if self._kept is not None:
            self._kept.executed(explorer)
            if self._kept.last is not None:
                self._saved = self._kept.last
                return
        if self._clock() >= self._due:
            begun = self._clock()
            state = save_search(explorer)
            self._saved = freeze(state) if state is not None else None
            now = self._clock()
            self._due = now + max(self._interval, _SHARE * (now - begun))

    @property
    def last(self) -> Frozen | None:
        return self._saved

    def forget(self) -> None:
        self._saved = None
        if self._kept is not None:
            self._kept.forget()

    def end(self, explorer: Explorer) -> None:
        if self._kept is not None:
            self._kept.end(explorer)
