"""The one loop: budgets, failures, observers, interruption."""

from __future__ import annotations

import pytest

from bpor.errors import Diverged
from bpor.model.plan import Plan
from bpor.model.schedule import Schedule
from bpor.model.trace import End, Outcome, Trace
from bpor.search.bounds import parse_bound
from bpor.search.budget import Budget, SearchStop
from bpor.search.explorer import Explorer
from bpor.search.failures import MAX_KEPT
from bpor.search.lasso.probe import Probed
from bpor.search.registry import make_strategy
from bpor.simulate.executor import SimulatedExecutor
from bpor.simulate.notation import parse
from bpor.simulate.programs import philosophers
from tests.unit.search_runs import search


class Scripted:
    """An executor that ends its executions as told, without any steps."""

    def __init__(self, *outcomes: Outcome | BaseException) -> None:
        self.outcomes = list(outcomes)

    def run(self, plan: Plan) -> Trace:
        outcome = self.outcomes.pop(0)
        if isinstance(outcome, BaseException):
            raise outcome
        return Trace(End(outcome), ())


def explorer(executor: Scripted | SimulatedExecutor, budget: Budget, name: str = "random") -> Explorer:
    return Explorer(executor, make_strategy(name, None), budget)


def test_an_exhausted_search_says_so() -> None:
    result = search("Wx | Wx", "none")
    assert (result.stop, result.exhausted, result.executions) == (SearchStop.EXHAUSTED, True, 2)
    assert result.strongest is not None
    assert result.strongest.whole


def test_the_number_of_executions_is_a_budget() -> None:
    result = search("Wx | Wx | Wx", "none", max_executions=3)
    assert (result.stop, result.exhausted, result.executions) == (SearchStop.MAX_EXECUTIONS, False, 3)
    assert result.strongest is None


def test_a_budget_that_is_used_up_by_the_last_execution_stopped_nothing() -> None:
    result = search("Wx | Wx", "none", max_executions=2)
    assert (result.stop, result.exhausted) == (SearchStop.EXHAUSTED, True)


def test_time_is_a_budget_on_any_clock() -> None:
    now = iter(range(100))
    budget = Budget(max_seconds=5, clock=lambda: next(now))
    result = explorer(Scripted(*[Outcome.PASSED] * 50), budget).run()
    assert result.stop is SearchStop.MAX_TIME
    assert 3 <= result.executions <= 6


def test_what_probes_find_to_be_shared_is_an_operation_from_the_first_execution_on() -> None:
    """Whoever searches: the process that ran the probes remembers it, and a worker elsewhere does not."""
    executor = Scripted()
    probed = Explorer(executor, make_strategy(None, None), Budget(), probe=lambda _: Probed(shared_state=("mappings",)))
    result = probed.run()
    assert (result.stop, result.shared_state, result.executions) == (SearchStop.SHARED, ("mappings",), 0)


def test_the_first_bug_stops_the_search_unless_it_is_to_keep_going() -> None:
    first = search(philosophers(2), "preemption:1", max_findings=1)
    assert (first.stop, len(first.failures)) == (SearchStop.FINDINGS, 1)
    every = search(philosophers(2), "preemption:1", max_findings=None)
    assert every.stop is SearchStop.EXHAUSTED
    assert {failure.trace.end.outcome for failure in every.failures} == {Outcome.DEADLOCK}


def test_a_failure_carries_its_whole_schedule() -> None:
    (failure, *_) = search(philosophers(2), "preemption:1").failures
    trace = SimulatedExecutor(philosophers(2)).run(Plan(prefix=failure.schedule.threads))
    assert trace.end.outcome is Outcome.DEADLOCK
    assert Schedule.of(step.thread for step in trace.steps) == failure.schedule


def test_a_schedule_that_fails_on_every_level_is_one_failure() -> None:
    result = search("Rx; assert | Wx", "preemption:0..1")
    schedules = [failure.schedule for failure in result.failures]
    assert len(schedules) == len(set(schedules))
    assert result.failing >= len(schedules)


def test_failures_beyond_the_number_kept_are_counted() -> None:
    result = search("Rx; Rx; Rx; yield; Rx; assert | Wx; yield; Wx; yield; Wx", name="dfs", max_executions=2_000)
    assert len(result.failures) <= MAX_KEPT
    assert result.failing >= len(result.failures)


def test_an_execution_we_do_not_control_ends_the_search() -> None:
    result = explorer(Scripted(Outcome.PASSED, Outcome.REFUSED, Outcome.PASSED), Budget()).run()
    assert result.stop is SearchStop.UNCONTROLLED
    assert result.executions == 2
    assert result.uncontrolled is not None
    assert result.uncontrolled.trace.end.outcome is Outcome.REFUSED


def test_an_interrupted_search_reports_what_it_has() -> None:
    result = explorer(Scripted(Outcome.PASSED, KeyboardInterrupt()), Budget()).run()
    assert (result.stop, result.counts.executions) == (SearchStop.INTERRUPTED, 1)


def test_divergence_is_not_swallowed() -> None:
    with pytest.raises(Diverged):
        explorer(Scripted(Diverged(3, "a", "b")), Budget()).run()


def test_observers_see_every_execution_in_order() -> None:
    seen: list[tuple[int, Outcome]] = []

    class Watcher:
        def executed(self, explorer: Explorer, plan: Plan, trace: Trace) -> None:
            seen.append((explorer.executions, trace.end.outcome))

    strategy = make_strategy(None, parse_bound("none"))
    Explorer(SimulatedExecutor(parse("Wx | Wx")), strategy, Budget(), [Watcher()]).run()
    assert seen == [(1, Outcome.PASSED), (2, Outcome.PASSED)]
