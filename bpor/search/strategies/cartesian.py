"""cartesian: every local state and every deadlock, by cartesian partial-order reduction (Gueta, Flanagan, Yahav, Sagiv, SPIN 2007).

It covers what each thread can observe and every deadlock, not every trace; `traces` in its numbers are those it happened to finish.
"""

from __future__ import annotations

from bpor.errors import UsageError
from bpor.model.plan import Plan
from bpor.model.trace import Trace
from bpor.search.bounds.bound import NONE, Bound
from bpor.search.cartesian.states import GraphWalk
from bpor.search.coverage import Level
from bpor.search.options import SearchOptions
from bpor.search.tally import Counts

COVERS = "every local state of every thread and every deadlock, not every final state"


class Cartesian:
    def __init__(self, options: SearchOptions) -> None:
        self.walk = GraphWalk(options)

    def next_plan(self) -> Plan | None:
        return self.walk.next_plan()

    def learn(self, trace: Trace) -> None:
        self.walk.learn(trace)

    @property
    def exhausted(self) -> bool:
        return self.walk.finished

    @property
    def counts(self) -> Counts:
        return self.walk.tally.counts()

    def levels(self) -> tuple[Level, ...]:
        return (Level(NONE, self.counts, self.walk.finished, 0, covers=COVERS),)


def cartesian(bound: Bound, options: SearchOptions, seed: int) -> Cartesian:
    if not bound.is_none:
        raise UsageError(f"--search cartesian takes no bound, but {bound} was given")
    return Cartesian(options)
