"""The true states of a simulated program, all of them, beside what cartesian search reaches."""

from __future__ import annotations

from collections.abc import Hashable
from pathlib import Path

from bpor.search.budget import Budget, SearchStop
from bpor.search.cartesian.explore import explore
from bpor.search.explorer import Explorer
from bpor.search.options import SearchOptions
from bpor.search.strategies.cartesian import Cartesian
from bpor.simulate.executor import SimulatedExecutor
from bpor.simulate.oracle import TooManyPrefixes
from bpor.simulate.program import DEFAULT, Program, Semantics
from bpor.simulate.space import SimulatedSpace
from bpor.simulate.world import World
from tests.property.random_programs import Sample

MOST = 1_500


def without_idle_timeouts(sample: Sample) -> bool:
    """Whether a state is idle is a matter of all threads: no prefix of one thread alone can tell."""
    return sample.semantics.explore_timeouts or "timed" not in sample.text


def place_of_all(state: World) -> Hashable:
    """The state without the numbers of threads, which differ where their creations commute."""
    return frozenset((path, node.place) for path, node in zip(state.paths, state.nodes, strict=True))


def deadlocks_of(space: SimulatedSpace) -> set[Hashable]:
    """By search without reduction, which also fills space.local. Raises TooManyPrefixes."""
    waiting = [space.initial()]
    covered: set[Hashable] = set()
    found: set[Hashable] = set()
    while waiting:
        state = waiting.pop()
        key = space.key(state)
        if key not in covered:
            covered.add(key)
            if len(covered) > MOST:
                raise TooManyPrefixes
            if space.is_deadlock(state):
                found.add(place_of_all(state))
            waiting += space.successors(state)
    return found


def unreached(program: Program, semantics: Semantics = DEFAULT, concurrent: bool = False, deadlocks: bool = True) -> int:
    """How many local states and deadlocks cartesian search misses. Without `deadlocks` it looks for none. Raises TooManyPrefixes."""
    full = SimulatedSpace(program, semantics)
    truth = deadlocks_of(full)
    reduced = SimulatedSpace(program, semantics, unrolling=full.unrolling)
    found = explore(reduced, deadlocks, concurrent)
    known = {place_of_all(state) for state in found.deadlocks}
    return len(full.local - reduced.local) + (len(truth ^ known) if deadlocks else 0)


class Recorder(SimulatedExecutor):
    """Keeps what was seen wherever it was asked which state it is in."""

    def __init__(self, space: SimulatedSpace, program: Program, semantics: Semantics) -> None:
        super().__init__(program, semantics, unrolling=space.unrolling)
        self.space = space
        self.deadlocks: set[Hashable] = set()

    def identity(self, world: World) -> int:
        self.space.key(world)
        if self.space.is_deadlock(world):
            self.deadlocks.add(place_of_all(world))
        return super().identity(world)


def unreached_by_executions(program: Program, semantics: Semantics = DEFAULT, engine: str = "python", library: Path | None = None) -> int:
    """The same for the search over executions, where the executor tells which state it is in. Raises TooManyPrefixes."""
    full = SimulatedSpace(program, semantics)
    truth = deadlocks_of(full)
    recorder = Recorder(SimulatedSpace(program, semantics, unrolling=full.unrolling), program, semantics)
    search = Cartesian(SearchOptions(max_steps=500, engine=engine), library=library)
    result = Explorer(recorder, search, Budget(max_executions=MOST * 4, max_findings=None)).run()
    if result.stop is not SearchStop.EXHAUSTED:
        raise TooManyPrefixes
    assert result.counts.cut == search.endless_shown, "a loop that changes nothing was not seen to come back"
    return len(full.local - recorder.space.local) + len(truth ^ recorder.deadlocks)
