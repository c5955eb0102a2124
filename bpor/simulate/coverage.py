"""Coverage: the local and final states that executions have reached, by events and by observed values.

The oracle fills one by brute force, an executor fills one for a search; the search is complete iff the second has all of the first.
"""

from __future__ import annotations

from collections.abc import Hashable

from bpor.lazy_dataclass import dataclass, field
from bpor.model.operation import Footprint
from bpor.model.trace import Outcome
from bpor.simulate.causality import Causality, EventTable
from bpor.simulate.world import Path, World


@dataclass(frozen=True, slots=True)
class Missing:
    """What a search did not reach."""

    local: int = 0
    final: int = 0
    local_values: int = 0
    final_values: int = 0

    def __bool__(self) -> bool:
        return self != Missing()


@dataclass(slots=True)
class Coverage:
    """Sets that compare only with those of the same event table and the same unrolling."""

    events: EventTable = field(default_factory=EventTable)
    local: set[int] = field(default_factory=set)  # events executed
    final: set[tuple[Outcome, frozenset[int]]] = field(default_factory=set)  # complete traces
    local_values: set[tuple[Path, int]] = field(default_factory=set)  # what a thread had observed
    final_values: set[Hashable] = field(default_factory=set)
    complete_runs: int = 0
    other_runs: int = 0  # redundant, over bound, cut

    @property
    def traces(self) -> int:
        """Without those that were assumed away."""
        return sum(outcome is not Outcome.ASSUMED for outcome, _ in self.final)

    @property
    def deadlocks(self) -> int:
        return sum(outcome is Outcome.DEADLOCK for outcome, _ in self.final)

    def begin(self, world: World) -> Recording:
        self.local_values.update(world.observed())
        return Recording(self)

    def add_final_values(self, world: World, outcome: Outcome) -> None:
        ended_by = world.paths[world.ending.thread] if world.ending is not None else None
        memory = frozenset((identity, value) for identity, value in world.objects.items() if not identity >> 60)
        graph = None if world.weak is None else world.weak.graph()
        self.final_values.add((outcome, ended_by, world.observed(), memory, graph))

    def lacks(self, truth: Coverage) -> Missing:
        return Missing(
            len(truth.local - self.local),
            len(truth.final - self.final),
            len(truth.local_values - self.local_values),
            len(truth.final_values - self.final_values),
        )


class Recording:
    """One execution being recorded."""

    def __init__(self, coverage: Coverage) -> None:
        self.coverage = coverage
        self.causality = Causality(coverage.events)

    def step(self, world: World, thread: int, kind: int, footprint: Footprint, joined: Path | None) -> None:
        event = self.causality.add(world, thread, kind, footprint, joined, world.ending is not None)
        self.coverage.local.add(event)
        for each in (thread, *world.fresh):
            self.coverage.local_values.add((world.paths[each], world.nodes[each].number))

    def end(self, world: World, outcome: Outcome) -> None:
        if not outcome.is_complete:
            self.coverage.other_runs += 1
            return
        self.coverage.complete_runs += 1
        self.coverage.final.add((outcome, self.causality.key()))
        self.coverage.add_final_values(world, outcome)
