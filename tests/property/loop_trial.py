"""One trial of the search that recognises states: a program with loops, and what the whole graph says of it within the same bound."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path

from bpor.model.plan import Plan
from bpor.model.trace import Trace
from bpor.search.bounds.bound import Bound
from bpor.search.bounds.runahead import RunAhead
from bpor.search.cycles.explored import Explored
from bpor.search.cycles.rule import Recognising
from bpor.search.cycles.tree import MatchingTree
from bpor.search.engine.library_tree import LibraryTree
from bpor.search.options import MEMORY, SearchOptions
from bpor.search.tally import Tally
from bpor.simulate.executor import SimulatedExecutor
from bpor.simulate.graph import ProgramStates, ReachableGraph
from bpor.simulate.program import DEFAULT, Program, Semantics

STEPS = 400


class TooLong(Exception):
    """The search took more steps than the trial allows, or an execution did not end."""


@dataclass(slots=True)
class Found:
    """What a search reached, in the numbers of the oracle's states."""

    states: set[int] = field(default_factory=set)
    livelocks: list[frozenset[int]] = field(default_factory=list)
    executions: int = 0
    steps: int = 0
    matched: int = 0
    unknown: int = 0  # states that the program cannot reach


def explore(
    program: Program,
    states: ProgramStates,
    preemption: int | None = None,
    fair: int | None = None,
    semantics: Semantics = DEFAULT,
    tree: type[MatchingTree] = MatchingTree,
    options: SearchOptions | None = None,
    max_steps: int = 20_000,
    capacity: int = 1 << 20,
) -> Found:
    executor = SimulatedExecutor(program, semantics)
    search = tree(Bound.of(preemption, fair), Recognising(preemption, fair), options or SearchOptions(max_steps=STEPS), None, capacity)
    plan: Plan | None = search.next_plan()
    while plan is not None:
        search.learn(executor.run(plan))
        counts = search.tally.counts()
        if counts.steps > max_steps or counts.cut:
            raise TooLong(f"{program.name}: {counts}")
        plan = search.next_plan()
    counts = search.tally.counts()
    return _found(executor, states, search.explored, Found(executions=counts.executions, steps=counts.steps, matched=counts.matched))


def explore_in_c(
    program: Program,
    states: ProgramStates,
    preemption: int | None = None,
    fair: int | None = None,
    semantics: Semantics = DEFAULT,
    options: SearchOptions | None = None,
    max_steps: int = 20_000,
    library: Path | None = None,
    match: str = MEMORY,
) -> Found:
    """The same by the C engine. What it explored is what its executions showed: it stops each where it recognises a state."""
    executor = SimulatedExecutor(program, semantics)
    options = replace(options or SearchOptions(max_steps=STEPS), match=match)
    search = LibraryTree(Bound.of(preemption, fair), RunAhead(preemption, fair), options, Tally(options.distinct_cap), library)
    explored = Explored(rounds_yield=fair is None)
    plan: Plan | None = search.next_plan()
    while plan is not None:
        trace = executor.run(replace(plan, identify=True))
        _record(explored, trace)
        search.learn(trace)
        counts = search.tally.counts()
        if counts.steps > max_steps or counts.cut:
            raise TooLong(f"{program.name}: {counts}")
        plan = search.next_plan()
    counts = search.tally.counts()
    return _found(executor, states, explored, Found(executions=counts.executions, steps=counts.steps, matched=counts.matched))


def _record(explored: Explored, trace: Trace) -> None:
    for index, identity in enumerate(trace.states):
        assert identity is not None
        step = trace.steps[index] if index < len(trace.steps) else None
        explored.state(identity, trace.enabled if step is None else step.enabled)
        if step is not None and index + 1 < len(trace.states):
            after = trace.states[index + 1]
            assert after is not None
            explored.step(identity, step.thread, after, step.yields)


def _found(executor: SimulatedExecutor, states: ProgramStates, explored: Explored, found: Found) -> Found:
    numbers: dict[int, int] = {}
    for identity, number in executor.identities():
        known = states.number_of(identity)
        if known is not None:
            numbers[number] = known
        elif number in explored.enabled:
            found.unknown += 1
    found.states = {numbers[each] for each in explored.enabled if each in numbers}
    found.livelocks = [frozenset(numbers[each] for each in component) for component in explored.livelocks()]
    return found


@dataclass(slots=True)
class Judgement:
    """What was missed, and what was reported although it is not so."""

    local: int = 0
    final: int = 0
    livelocks: int = 0
    false_livelocks: int = 0
    unknown: int = 0

    @property
    def good(self) -> bool:
        return self == Judgement()


def judge(states: ProgramStates, truth: ReachableGraph, exact: ReachableGraph, found: Found) -> Judgement:
    """`truth` is what can be reached within the bound, `exact` without one."""
    local = {
        (path, node.number)
        for world in map(states.worlds.__getitem__, found.states)
        for path, node in zip(world.paths, world.nodes, strict=True)
    }
    return Judgement(
        len(truth.local - local),
        len(set(truth.final) - found.states),
        sum(not any(component & other for other in found.livelocks) for component in truth.fair),
        sum(not any(component <= other for other in exact.fair) for component in found.livelocks),
        found.unknown,
    )
