"""A search that is killed and goes on runs exactly what one uninterrupted search runs."""

from __future__ import annotations

from typing import Any

import pytest

from bpor.errors import Diverged
from bpor.model.plan import Plan
from bpor.model.trace import Trace
from bpor.search.bounds import parse_bound
from bpor.search.budget import Budget, Stop
from bpor.search.explorer import Explorer, schedule_of
from bpor.search.options import SearchOptions
from bpor.search.registry import make_strategy
from bpor.search.result import SearchResult
from bpor.search.resume import freeze, load_search, save_search, thaw
from bpor.simulate.executor import SimulatedExecutor
from bpor.simulate.notation import parse
from bpor.simulate.program import Program
from bpor.simulate.programs import lost_update, philosophers, spinners, work_stealing_queue

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
    ("random", None, lost_update(2)),
    ("pct", None, lost_update(2)),
]


class Ran:
    """What was executed, in order."""

    def __init__(self) -> None:
        self.schedules: list[str] = []

    def executed(self, explorer: Explorer, plan: Plan, trace: Trace) -> None:
        self.schedules.append(str(schedule_of(plan, trace)))


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

    def _save(self, explorer: Explorer) -> None:
        state = save_search(explorer)
        assert state is not None
        self.frozen = freeze(state)


def run(program: Program, name: str | None, bound: str | None, limit: int, ran: Ran, memory: Memory | None = None) -> SearchResult:
    options = SearchOptions(max_steps=60, fair_ceiling=2)
    strategy = make_strategy(name, None if bound is None else parse_bound(bound), options)
    return Explorer(SimulatedExecutor(program), strategy, Budget(limit, None, None), [ran], memory).run()


@pytest.mark.parametrize(("name", "bound", "program"), SEARCHES)
@pytest.mark.parametrize("pieces", [1, 7])
def test_a_search_in_pieces_is_the_search(name: str | None, bound: str | None, program: Program, pieces: int) -> None:
    whole, parts = Ran(), Ran()
    expected = run(program, name, bound, 60, whole)
    memory = Memory()
    for limit in range(pieces, 60, pieces):
        result = run(program, name, bound, limit, parts, memory)
        memory = Memory(memory.frozen)
        if result.stop is Stop.EXHAUSTED:
            break
    got = run(program, name, bound, 60, parts, memory) if result.stop is not Stop.EXHAUSTED else result
    assert parts.schedules == whole.schedules
    assert (got.counts, got.executions, got.failing) == (expected.counts, expected.executions, expected.failing)
    assert [f.schedule for f in got.failures] == [f.schedule for f in expected.failures]
    assert got.levels == expected.levels


class Interrupted:
    """An executor that is interrupted in the midst of its n-th execution."""

    def __init__(self, program: Program, at: int) -> None:
        self._executor, self._left = SimulatedExecutor(program), at

    def run(self, plan: Plan) -> Trace:
        self._left -= 1
        if self._left == 0:
            raise KeyboardInterrupt
        return self._executor.run(plan)


def test_an_execution_that_was_interrupted_is_run_again() -> None:
    whole, parts, memory = Ran(), Ran(), Memory()
    run(philosophers(3), None, "preemption:1", 100, whole)
    strategy = make_strategy(None, parse_bound("preemption:1"), SearchOptions(max_steps=60))
    stopped = Explorer(Interrupted(philosophers(3), 9), strategy, Budget(100, None, None), [parts], memory).run()
    assert stopped.stop is Stop.INTERRUPTED
    run(philosophers(3), None, "preemption:1", 100, parts, Memory(memory.frozen))
    assert parts.schedules == whole.schedules


def test_another_program_is_noticed() -> None:
    memory = Memory()
    run(parse("Wy; Wx; Wy; Wx | Wx"), None, "none", 2, Ran(), memory)
    with pytest.raises(Diverged):
        run(parse("lock; Wx; Wy; Wx | Wx"), None, "none", 9, Ran(), Memory(memory.frozen))


def test_a_livelock_found_before_is_found_after() -> None:
    memory = Memory()
    first = run(parse("until Rz"), None, "fair:2", 1, Ran(), memory)
    again = run(parse("until Rz"), None, "fair:2", 1, Ran(), Memory(memory.frozen))
    assert [f.livelock for f in again.failures] == [f.livelock for f in first.failures]
    assert first.failures[0].livelock is not None
