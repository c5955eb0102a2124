"""The searches that run one complete execution per trace: cb-por within a preemption bound, optimal without a bound."""

from __future__ import annotations

import pytest

from bpor.errors import UsageError
from bpor.model.trace import Outcome
from bpor.search.bounds import parse_bound
from bpor.search.budget import Budget
from bpor.search.explorer import Explorer
from bpor.search.graphs import events
from bpor.search.optimal.order import ORDERS
from bpor.search.options import SearchOptions
from bpor.search.strategies.cb_por import CbPor
from bpor.search.strategies.optimal import Optimal
from bpor.simulate import programs
from bpor.simulate.executor import SimulatedExecutor
from bpor.simulate.notation import parse
from bpor.simulate.oracle import Oracle
from bpor.simulate.program import Program
from tests.unit.search_runs import runs, search

# Traces within a preemption bound, equal in two or three independent tools; the last column is without a bound.
WITHIN: list[tuple[Program, dict[str, int]]] = [
    (programs.work_stealing_queue(2, 2, 1), {"preemption:1": 8, "preemption:2": 9, "none": 9}),
    (programs.work_stealing_queue(2, 2, 2), {"preemption:1": 13, "preemption:2": 32, "preemption:3": 47, "none": 51}),
    (programs.philosophers(4), {"preemption:0": 14, "preemption:1": 15, "none": 15}),
    (programs.last_zero(4), {"preemption:0": 28, "none": 28}),
    (programs.lost_update(2), {"preemption:0": 2, "preemption:1": 8, "preemption:2": 22, "preemption:3": 32, "none": 34}),
    (programs.mutex_counter(3), {"preemption:0": 6, "preemption:1": 24, "preemption:2": 60, "preemption:3": 90}),
    (programs.readers_and_writer(4), {"preemption:0": 16, "preemption:1": 16, "none": 16}),
]

ALL = [
    (programs.work_stealing_queue(2, 2, 2), 51),
    (programs.philosophers(5), 31),
    (programs.philosophers(5, ordered=True), 30),
    (programs.last_zero(4), 28),
    (programs.indexer(12), 8),
    (programs.indexer(13), 64),
    (programs.file_system(14), 2),
    (programs.file_system(16), 8),
    (programs.mutex_counter(3), 90),
    *((programs.readers_and_writer(readers), 2**readers) for readers in (2, 5, 8)),
]


@pytest.mark.parametrize(
    ("program", "bound", "traces"),
    [pytest.param(program, bound, traces, id=f"{program.name}-{bound}") for program, row in WITHIN for bound, traces in row.items()],
)
def test_cb_por_runs_one_complete_execution_per_trace_within_the_bound(program: Program, bound: str, traces: int) -> None:
    result = search(program, bound, "cb-por")
    assert runs(result)[0] == result.counts.distinct_traces == traces


def test_cb_por_hardly_ever_stops_where_a_state_is_known() -> None:
    """States that no execution has been to are marked by walking (CB-POR 2007, theorem 4): without that, 688 were in vain."""
    assert runs(search(programs.readers_and_writer(4), "none", "cb-por")) == (16, 0)
    assert runs(search(programs.philosophers(5), "none", "cb-por")) == (31, 1)


def test_cb_por_says_that_a_bound_which_refused_nobody_covers_everything() -> None:
    result = search(programs.mutex_counter(2), "preemption:0..9", "cb-por")
    assert [level.counts.distinct_traces for level in result.levels] == [2, 4, 6]
    assert result.strongest is not None and result.strongest.statement() == "all schedules"


def test_cb_por_finds_states_again_by_hash_and_compares_them_in_full() -> None:
    strategy = CbPor(parse_bound("none"), SearchOptions())
    states = strategy.search.states if strategy.search else None
    Explorer(SimulatedExecutor(programs.philosophers(3)), strategy, Budget(max_findings=None)).run()
    assert states is not None
    assert len({state.last for state in states}) == states.count == Oracle(programs.philosophers(3)).explore().prefixes
    assert all(state.marked for state in states)


def test_a_collision_of_hashes_does_not_merge_two_states(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every event hashes to the same value: all states of as many steps share a bucket, and nothing changes."""
    monkeypatch.setattr(events, "_MASK", 0)
    strategy = CbPor(parse_bound("preemption:2"), SearchOptions())
    states = strategy.search.states if strategy.search else None
    result = Explorer(SimulatedExecutor(programs.work_stealing_queue(2, 2, 2)), strategy, Budget(max_findings=None)).run()
    assert states is not None and states.collisions > 50
    assert result.counts.complete == 32


@pytest.mark.parametrize(("program", "traces"), [pytest.param(program, traces, id=program.name) for program, traces in ALL])
def test_optimal_runs_one_execution_per_trace_and_nothing_else(program: Program, traces: int) -> None:
    strategy = Optimal(SearchOptions())
    result = Explorer(SimulatedExecutor(program), strategy, Budget(max_findings=None)).run()
    assert runs(result) == (traces, 0)
    assert result.counts.distinct_traces == traces == result.executions


@pytest.mark.parametrize("order", ORDERS)
def test_every_order_runs_every_trace(order: str) -> None:
    for program, traces in ALL[:6]:
        result = search(program, None, f"optimal:{order}")
        assert result.exhausted and result.counts.distinct_traces == traces
        assert order != "dfs" or runs(result) == (traces, 0)


def test_the_orders_differ() -> None:
    def first_plans(order: str) -> list[str]:
        strategy, executor, schedules = Optimal(SearchOptions(), order), SimulatedExecutor(programs.last_zero(4)), []
        for _ in range(12):
            plan = strategy.next_plan()
            assert plan is not None
            schedules.append(str(plan.prefix))
            strategy.learn(executor.run(plan))
        return schedules

    assert len({tuple(first_plans(order)) for order in ORDERS}) > 1


def test_a_thread_that_could_run_elsewhere_is_asked_for_and_not_guessed() -> None:
    strategy = Optimal(SearchOptions())
    result = Explorer(SimulatedExecutor(parse("tryrdlock | wrlock | rdlock")), strategy, Budget(max_findings=None)).run()
    assert result.counts.asked > 0
    assert result.executions == result.counts.executions + result.counts.asked
    assert result.counts.redundant == 0


@pytest.mark.parametrize(("name", "bound"), [("cb-por", "fair:1"), ("cb-por", "context:1"), ("optimal", "preemption:1")])
def test_a_bound_that_they_do_not_know_is_refused(name: str, bound: str) -> None:
    with pytest.raises(UsageError, match=bound):
        search("Wx | Wx", bound, name)


def test_an_order_that_does_not_exist_is_refused_with_those_that_do() -> None:
    with pytest.raises(UsageError, match="dfs, bit-reversal, round-robin, stride, conflict-first"):
        search("Wx | Wx", None, "optimal:backwards")


@pytest.mark.parametrize("name", ["cb-por", "optimal"])
def test_an_execution_without_end_is_a_cut_and_the_search_goes_on(name: str) -> None:
    result = search("until Rx | yield; yield | Wy; Ry", None, name, SearchOptions(max_steps=30), max_executions=400)
    assert result.counts.cut > 0
    assert result.strongest is None


@pytest.mark.parametrize("name", ["cb-por", "optimal"])
def test_a_deadlock_is_found(name: str) -> None:
    result = search(programs.philosophers(3), None, name, max_findings=1)
    assert [failure.trace.end.outcome for failure in result.failures] == [Outcome.DEADLOCK]
