"""Alternatives of one step: an input that a test leaves open, as part of schedules."""

from __future__ import annotations

import pytest

from bpor.errors import Diverged
from bpor.model.choice import MAX_ALTERNATIVE, MAX_THREAD, alternative_of, choice_of, thread_of
from bpor.model.executor import Executor
from bpor.model.plan import Plan
from bpor.model.schedule import Schedule
from bpor.model.trace import Outcome
from bpor.search.bounds.grammar import parse_bound
from bpor.search.budget import Budget, SearchStop
from bpor.search.explorer import Explorer, schedule_of
from bpor.search.minimize import minimize
from bpor.search.options import SearchOptions
from bpor.search.registry import make_strategy
from bpor.search.result import SearchResult
from bpor.simulate.coverage import Coverage
from bpor.simulate.executor import SimulatedExecutor
from bpor.simulate.notation import parse
from bpor.simulate.oracle import Oracle


@pytest.mark.parametrize("text", ["0*4,2.1,1*3", "1.63", "3.2*2", "0,1.1(2.1,0)*"])
def test_a_schedule_with_alternatives_is_read_as_it_is_written(text: str) -> None:
    assert str(Schedule.parse(text)) == text


def test_the_first_alternative_is_not_written() -> None:
    assert str(Schedule.parse("2.0,1")) == "2,1"
    assert Schedule.parse("2.0").threads == (2,)


@pytest.mark.parametrize("text", ["1.", ".1", "1.64", "1024", "1.1.1", "1*2.1"])
def test_what_is_no_choice_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=text.replace("*", r"\*").replace(".", r"\.")):
        Schedule.parse(text)


def test_a_choice_is_a_thread_and_an_alternative() -> None:
    choice = choice_of(MAX_THREAD, MAX_ALTERNATIVE)
    assert (thread_of(choice), alternative_of(choice)) == (MAX_THREAD, MAX_ALTERNATIVE) and choice < 1 << 16


def explored(text: str, bound: str = "none") -> tuple[SearchResult, Coverage]:
    oracle = Oracle(parse(text))
    executor = oracle.executor()
    strategy = make_strategy("bpor", parse_bound(bound), SearchOptions(max_steps=400), 0)
    result = Explorer(executor, strategy, Budget(max_findings=None)).run()
    assert result.stop is SearchStop.EXHAUSTED and executor.coverage is not None
    truth = oracle.explore_values().coverage if bound == "none" else None
    assert truth is None or truth.final_values == executor.coverage.final_values
    return result, executor.coverage


def test_every_value_of_an_open_input_is_tried_once() -> None:
    assert explored("choose 5")[0].executions == 5


def test_two_open_inputs_are_tried_in_every_combination() -> None:
    assert explored("choose 3; choose 4")[0].executions == 12
    assert explored("choose 3 | choose 4")[0].executions == 12


def test_an_open_input_decides_what_depends_on_it() -> None:
    """`if` follows the value: with 0 nothing is written, and the other thread has one schedule."""
    assert explored("choose 2; if Wx | Rx")[0].executions == 3
    assert explored("choose 2; if lock; if Wx | lock; Rx; unlock")[0].counts.distinct_traces == 3


@pytest.mark.parametrize("bound", ["preemption:0", "preemption:1", "fair:1,preemption:1"])
def test_open_inputs_cost_no_preemption(bound: str) -> None:
    assert explored("choose 3; choose 3", bound)[0].executions == 9


def failing(text: str) -> tuple[Schedule, Executor]:
    executor = SimulatedExecutor(parse(text))
    strategy = make_strategy("bpor", parse_bound("none"), SearchOptions(max_steps=400), 0)
    result = Explorer(executor, strategy, Budget(max_findings=1)).run()
    return result.failures[0].schedule, executor


def test_a_failure_is_replayed_with_its_alternatives() -> None:
    schedule, executor = failing("choose 4; if Wx | Rx; assert")
    assert str(schedule) == "0.1,0,1"
    assert executor.run(Plan(prefix=schedule.threads)).end.outcome is Outcome.ASSERTION
    with pytest.raises(Diverged):  # the other value leads elsewhere
        executor.run(Plan(prefix=tuple(map(thread_of, schedule))))


def test_an_alternative_that_is_not_offered_is_a_divergence() -> None:
    with pytest.raises(Diverged, match="alternative 4 of thread 0"):
        SimulatedExecutor(parse("choose 4")).run(Plan(prefix=(choice_of(0, 4),)))


def test_alternatives_that_do_not_matter_become_the_first() -> None:
    executor = SimulatedExecutor(parse("choose 4; choose 4; if Wx; choose 9 | choose 3; Rx; assert"))

    def still_fails(candidate: Schedule) -> Schedule | None:
        plan = Plan(prefix=candidate.threads)
        try:
            trace = executor.run(plan)
        except Diverged:
            return None
        return schedule_of(plan, trace) if trace.end.outcome is Outcome.ASSERTION else None

    found = minimize(Schedule.parse("0.3,0.3,0,0.8,1.2,1"), still_fails)
    assert str(found) == "0,0.1,0,1*2"
