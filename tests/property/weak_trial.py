"""One trial under weak memory: what the search reaches, as outcomes: what each thread read, and the final values."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field

from bpor.model.trace import Outcome
from bpor.search.bounds.grammar import parse_bound
from bpor.search.budget import Budget, SearchStop
from bpor.search.explorer import Explorer
from bpor.search.options import SearchOptions
from bpor.search.registry import make_strategy
from bpor.search.result import SearchResult
from bpor.simulate.action import object_name
from bpor.simulate.coverage import Coverage
from bpor.simulate.executor import SimulatedExecutor
from bpor.simulate.litmus import Litmus
from bpor.simulate.program import Program, Semantics
from bpor.simulate.unroll import UnrolledNode
from bpor.simulate.world import World

Outcome_ = tuple[tuple[tuple[Hashable, ...], ...], frozenset[tuple[str, Hashable]]]


@dataclass(slots=True)
class Outcomes(Coverage):
    """Also what every thread read."""

    seen: set[Outcome_] = field(default_factory=set)
    graphs: set[Hashable] = field(default_factory=set)

    def add_final_values(self, world: World, outcome: Outcome) -> None:
        super(Outcomes, self).add_final_values(world, outcome)
        self.seen.add(outcome_of(world))
        if world.weak is not None:
            self.graphs.add(world.weak.graph())


def observed(node: UnrolledNode) -> tuple[Hashable, ...]:
    """What a thread has read, in order. (That a lock was taken is told, too.)"""
    values: list[Hashable] = []
    while node.parent is not None:
        if node.sent is not None and not isinstance(node.sent, bool):
            values.append(node.sent)
        node = node.parent
    return tuple(reversed(values))


def outcome_of(world: World) -> Outcome_:
    reads = tuple(map(observed, world.nodes))
    memory = frozenset((object_name(number), value) for number, value in world.objects.items() if not number >> 60 and value)
    return reads, memory


@dataclass(frozen=True, slots=True)
class Reached:
    outcomes: set[Outcome_]
    graphs: set[Hashable]
    result: SearchResult
    complete: int


def reach(
    program: Program, memory: str, bound: str = "none", engine: str = "python", placing: bool = True, search: str = "bpor"
) -> Reached:
    coverage = Outcomes()
    executor = SimulatedExecutor(program, Semantics(memory=memory, placing=placing), coverage)
    strategy = make_strategy(search, parse_bound(bound), SearchOptions(engine=engine, max_steps=400), 0)
    result = Explorer(executor, strategy, Budget(max_executions=20_000, max_findings=None)).run()
    assert result.stop is SearchStop.EXHAUSTED, result.stop
    return Reached(coverage.seen, coverage.graphs, result, coverage.complete_runs)


def shows(litmus: Litmus, outcomes: set[Outcome_]) -> bool:
    return any(_fits(litmus, outcome) for outcome in outcomes)


def _fits(litmus: Litmus, outcome: Outcome_) -> bool:
    reads, memory = outcome
    final = dict(memory)
    if any(final.get(name, 0) != value for name, value in litmus.memory.items()):
        return False
    return all(
        len(wanted) <= len(got) and all(want is None or want == value for want, value in zip(wanted, got, strict=False))
        for wanted, got in zip(litmus.reads, reads, strict=True)
    )
