"""Recovering: checkpoints in memory. When a worker is lost, what it knew is lost with it, so the whole search goes back to the last
checkpoint, and goes on from there with those that are left: nothing is lost, and nothing is counted twice.

With a jury, all counts restart from a checkpoint from time to time, so that lots are drawn again; once a worker has lied, no saved state is
used.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from bpor.cluster.jury import Jury, Lied
from bpor.errors import MemberLost
from bpor.model.executor import Executor
from bpor.search.explorer import Checkpoints, Explorer, Frozen
from bpor.search.resume import freeze, load_search, save_search, thaw

INTERVAL = 2.0  # seconds
TURN = 60.0  # seconds
_SHARE = 10  # at most this part of the time goes into them


class Recovering:
    def __init__(
        self,
        kept: Checkpoints | None,
        jury: Jury | None = None,
        turns: bool = False,
        interval: float | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """`kept`: those of a later process; what is saved there, as often as it is, serves here too. `turns`: lots may be drawn again: what
        is saved is all of the search, which it is not where one member has it all (BesideTree.save)."""
        self._kept, self._clock = kept, clock
        self._interval = INTERVAL if interval is None else interval
        self._jury, self._turns = jury, turns and jury is not None
        self._turn_ends = clock() + TURN
        self._due = clock() + self._interval
        self._saved: Frozen | None = None

    def begin(self, explorer: Explorer, executor: Executor) -> None:
        if self._saved is not None:
            load_search(explorer, thaw(*self._saved), executor)
        elif self._kept is not None:
            self._kept.begin(explorer, executor)

    def executed(self, explorer: Explorer) -> None:
        if self._jury is not None:
            self._heeded(self._jury.check)
        before = self._saved
        self._save(explorer)
        if self._turns and self._saved is not None and self._saved is not before and self._clock() >= self._turn_ends:
            self._turn_ends = self._clock() + TURN
            raise MemberLost("lots are drawn again")

    def _save(self, explorer: Explorer) -> None:
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

    def _heeded(self, ask: Callable[[], None]) -> None:
        try:
            ask()
        except Lied:
            self.forget()
            raise

    @property
    def last(self) -> Frozen | None:
        return self._saved

    def forget(self) -> None:
        self._saved = None
        if self._kept is not None:
            self._kept.forget()

    def end(self, explorer: Explorer) -> None:
        """A search that has seen everything waits for the jury; of one that was cut, nothing is kept if somebody lied."""
        jury = self._jury
        if jury is not None and explorer.strategy.exhausted:
            self._heeded(lambda: jury.settle(explorer.budget.left))
        elif jury is not None:
            try:
                jury.check("and nothing of it is kept")
            except Lied:
                return self.forget()
        if self._kept is not None:
            self._kept.end(explorer)
