"""A search that is killed and goes on runs exactly what one uninterrupted search runs."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from bpor.errors import Diverged
from bpor.model.plan import Chooser, Plan, State
from bpor.model.trace import Trace
from bpor.search.bounds import parse_bound
from bpor.search.budget import Budget, SearchStop
from bpor.search.explorer import Explorer, schedule_of
from bpor.search.options import SearchOptions
from bpor.search.registry import make_strategy
from bpor.search.result import SearchResult
from bpor.search.resume import freeze, load_search, save_search, thaw
from bpor.simulate.executor import SimulatedExecutor
from bpor.simulate.notation import parse
from bpor.simulate.program import Program, Semantics
from bpor.simulate.programs import indexer, lost_update, philosophers, spinners, work_stealing_queue

TIMED = parse("spawn 3; sem_timedwait a; Wx | sem_timedwait b; Wx; Ry; if Wz | lock; timedwait; Wx; Wy; unlock | timedlock; Rx; if Wy")
SEARCHES = [
    (None, "preemption:0..2", work_stealing_queue(2, 2, 1)),
    (None, "fair:1,preemption:2", spinners()),
    (None, "fair:2", spinners()),
    ("dpor", None, philosophers(4)),
    ("dfs", "preemption:1", lost_update(2)),
    ("delay", None, philosophers(3)),
    (None, "context:2", philosophers(3)),
    (None, "local-depth:4", lost_update(2)),
    (None, "local-context:2", lost_update(2)),
    (None, None, philosophers(3)),
    (None, None, spinners()),
    ("optimal", None, philosophers(4)),
    ("optimal", None, indexer(12)),
    ("optimal:round-robin", None, work_stealing_queue(2, 2, 1)),
    ("optimal", None, TIMED),
    ("cb-por", "preemption:0..2", work_stealing_queue(2, 2, 1)),
    ("cb-por", "none", TIMED),
    ("best-first", "preemption:0..2", philosophers(3)),
    ("best-first:dpor,random", "none", philosophers(4)),
    ("best-first:random", "fair:1,preemption:1", spinners()),
    ("best-first:random", "local-context:2", lost_update(2)),
    ("best-first:sleep,random", "delta:1", work_stealing_queue(2, 2, 1)),
    ("best-first-all:random", "preemption:1", lost_update(2)),
    ("random", None, lost_update(2)),
    ("pct", None, lost_update(2)),
]


class Ran:
    """What was executed, in order."""

    def __init__(self) -> None:
        self.schedules: list[str] = []
        self.complete: list[str] = []

    def executed(self, explorer: Explorer, plan: Plan, trace: Trace) -> None:
        self.schedules.append(str(schedule_of(plan, trace)))
        if trace.end.outcome.is_complete:
            self.complete.append(self.schedules[-1])


class Memory:
    """Saves after every execution and loads what it was given."""

    def __init__(self, frozen: tuple[str, list[bytes]] | None = None) -> None:
        self.frozen = frozen

    def begin(self, explorer: Explorer, executor: Any) -> None:
        if self.frozen is not None:
            load_search(explorer, thaw(*self.frozen), executor)

    def executed(self, explorer: Explorer) -> None:
        self._save(explorer)

    def end(self, explorer: Explorer) -> None:
        self._save(explorer)

    def forget(self) -> None:
        self.frozen = None

    def _save(self, explorer: Explorer) -> None:
        state = save_search(explorer)
        assert state is not None
        self.frozen = freeze(state)


def run(
    program: Program, name: str | None, bound: str | None, limit: int, ran: Ran, memory: Memory | None = None, model: str = "sc"
) -> SearchResult:
    options = SearchOptions(max_steps=60, fair_ceiling=2, weak=model != "sc", alternatives=model != "sc")
    strategy = make_strategy(name, None if bound is None else parse_bound(bound), options)
    return Explorer(SimulatedExecutor(program, Semantics(memory=model)), strategy, Budget(limit, None, None), [ran], memory).run()


@pytest.mark.parametrize(("name", "bound", "program"), SEARCHES)
@pytest.mark.parametrize("pieces", [1, 7])
def test_a_search_in_pieces_is_the_search(name: str | None, bound: str | None, program: Program, pieces: int) -> None:
    in_pieces(program, name, bound, pieces, "sc")


@pytest.mark.parametrize("bound", ["none", "preemption:1", "stale:1", "stale:1,preemption:1", "fair:1", None])
@pytest.mark.parametrize("pieces", [1, 3])
def test_of_a_step_that_goes_several_ways_all_is_remembered(bound: str | None, pieces: int) -> None:
    """A load that saw two old values, and then sleeps, is woken by what its first way conflicts with."""
    in_pieces(parse("W x.rlx 1; W x.rlx 2; W y.rlx 1 | R y.rlx; R x.rlx | W x.rlx 3"), None, bound, pieces, "c11")


def in_pieces(program: Program, name: str | None, bound: str | None, pieces: int, model: str) -> None:
    whole, parts = Ran(), Ran()
    expected = run(program, name, bound, 60, whole, model=model)
    memory = Memory()
    for limit in range(pieces, 60, pieces):
        result = run(program, name, bound, limit, parts, memory, model)
        memory = Memory(memory.frozen)
        if result.stop is SearchStop.EXHAUSTED:
            break
    got = run(program, name, bound, 60, parts, memory, model) if result.stop is not SearchStop.EXHAUSTED else result
    assert parts.schedules == whole.schedules
    assert (got.counts, got.executions, got.failing) == (expected.counts, expected.executions, expected.failing)
    assert [f.schedule for f in got.failures] == [f.schedule for f in expected.failures]
    assert got.levels == expected.levels


class Interrupted:
    """An executor that is interrupted in its n-th execution: after so many choices that it asks for, at the latest when it is over."""

    def __init__(self, program: Program, at: int, choices: int) -> None:
        self._executor, self._left, self._choices = SimulatedExecutor(program), at, choices

    def run(self, plan: Plan) -> Trace:
        self._left -= 1
        if self._left == 0:
            chooser = None if plan.chooser is None else self._patient(plan.chooser)
            self._executor.run(replace(plan, chooser=chooser))
            raise KeyboardInterrupt
        return self._executor.run(plan)

    def _patient(self, chooser: Chooser) -> Chooser:
        def choose(state: State) -> int | None:
            self._choices -= 1
            if self._choices < 0:
                raise KeyboardInterrupt
            return chooser(state)

        return choose


def interrupted(name: str | None, bound: str, at: int, choices: int) -> tuple[Ran, Ran]:
    """What a search runs without an interruption, and with one and a resume."""
    whole, parts, memory = Ran(), Ran(), Memory()
    run(philosophers(3), name, bound, 100, whole)
    strategy = make_strategy(name, parse_bound(bound), SearchOptions(max_steps=60))
    stopped = Explorer(Interrupted(philosophers(3), at, choices), strategy, Budget(100, None, None), [parts], memory).run()
    assert stopped.stop is SearchStop.INTERRUPTED
    run(philosophers(3), name, bound, 100, parts, Memory(memory.frozen))
    return whole, parts


@pytest.mark.parametrize(
    ("name", "bound"),
    [(None, "preemption:1"), ("best-first:random", "preemption:1"), ("best-first", "local-depth:9"), ("optimal", "none")],
)
@pytest.mark.parametrize("choices", (2, 100))
def test_an_execution_that_was_interrupted_is_run_again(choices: int, name: str | None, bound: str) -> None:
    whole, parts = interrupted(name, bound, 6, choices)
    assert parts.schedules == whole.schedules


@pytest.mark.parametrize("at", (2, 6))
@pytest.mark.parametrize("choices", (2, 100))
def test_what_cb_por_met_before_it_was_interrupted_it_knows(choices: int, at: int) -> None:
    """So an execution that would only have found that out is not run again; every other one is."""
    whole, parts = interrupted("cb-por", "none", at, choices)
    assert parts.complete == whole.complete
    assert len(whole.complete) == 7


@pytest.mark.parametrize("name", [None, "best-first", "cb-por", "optimal"])
def test_another_program_is_noticed(name: str | None) -> None:
    memory = Memory()
    run(parse("Wy; Wx; Wy; Wx | Wx"), name, "none", 2, Ran(), memory)
    with pytest.raises(Diverged):
        run(parse("lock; Wx; Wy; Wx | Wx"), name, "none", 9, Ran(), Memory(memory.frozen))


def test_a_livelock_found_before_is_found_after() -> None:
    memory = Memory()
    first = run(parse("until Rz"), None, "fair:2", 1, Ran(), memory)
    again = run(parse("until Rz"), None, "fair:2", 1, Ran(), Memory(memory.frozen))
    assert [f.livelock for f in again.failures] == [f.livelock for f in first.failures]
    assert first.failures[0].livelock is not None
