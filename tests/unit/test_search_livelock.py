"""Long executions, judged."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

import pytest

from bpor.model.plan import Limits, Plan
from bpor.model.trace import Outcome, Trace
from bpor.search.livelock import find_livelock, find_starvation
from bpor.search.options import SearchOptions
from bpor.simulate.action import MEMORY, Action, object_id
from bpor.simulate.executor import SimulatedExecutor
from bpor.simulate.memory import rmw
from bpor.simulate.notation import parse
from bpor.simulate.program import program
from bpor.simulate.thread import yield_
from tests.unit.search_runs import search


def long_run(text: str, fair: int | None = 2, max_steps: int = 400) -> Trace:
    trace = SimulatedExecutor(parse(text)).run(Plan(limits=Limits(fair=fair), max_steps=max_steps))
    assert trace.end.outcome is Outcome.STEP_LIMIT
    return trace


def test_a_flag_that_nobody_sets_is_a_livelock_with_its_cycle() -> None:
    livelock = find_livelock(long_run("Wy; until Rx | Ry; Wx 0"), 2)
    assert livelock is not None
    (spinner,) = livelock.spinners
    assert spinner.thread == 0
    assert len(spinner.sites) == 1
    assert [step.operation.kind.text for step in spinner.steps] == ["read", "yield"]
    (wait,) = spinner.waits
    assert (wait.object, wait.value, wait.last_writer) == (object_id(MEMORY, "x"), 0, 1)
    assert livelock.blocked == ()


def test_two_threads_that_back_off_in_step_are_a_livelock() -> None:
    text = "lock a; until trylock b | lock b; until trylock a"
    schedule = [0, 1] + [0, 0, 1, 1] * 100
    trace = SimulatedExecutor(parse(text)).run(Plan(prefix=schedule[:200], limits=Limits(fair=2), max_steps=200))
    livelock = find_livelock(trace, 2)
    assert livelock is not None
    assert [spinner.thread for spinner in livelock.spinners] == [0, 1]
    assert [spinner.waits[0].last_writer for spinner in livelock.spinners] == [1, 0]


def test_a_livelock_names_the_threads_that_are_blocked_meanwhile() -> None:
    livelock = find_livelock(long_run("until Rx | sem_wait"), 2)
    assert livelock is not None
    assert livelock.blocked == (1,)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("5000*yield | Ry", id="asks nothing between its yields"),
        pytest.param("5000*RMWx | Ry", id="never yields"),
        pytest.param("; ".join(["RMWx; yield"] * 500), id="gets a new answer each time"),
        pytest.param("; ".join(["Rx; yield"] * 500), id="new call sites all the time"),
    ],
)
def test_a_long_loop_that_makes_progress_is_no_livelock(text: str) -> None:
    assert find_livelock(long_run(text), 2) is None


def test_a_counting_loop_at_one_call_site_is_no_livelock() -> None:
    def body() -> Generator[Action, Any, None]:
        while True:
            yield rmw("x").at(1)
            yield yield_().at(2)

    trace = SimulatedExecutor(program("counting", [body])).run(Plan(limits=Limits(fair=2), max_steps=400))
    assert trace.end.outcome is Outcome.STEP_LIMIT
    assert find_livelock(trace, 2) is None


def test_a_spin_that_another_thread_ends_is_no_livelock() -> None:
    result = search("until Rx | yield; yield; Wx", "fair:2")
    assert result.exhausted
    assert result.failures == ()
    assert result.counts.cut == 0


def test_only_a_whole_execution_can_be_judged() -> None:
    trace = SimulatedExecutor(parse("until Rx")).run(Plan(prefix=[0] * 10, report_from=9, limits=Limits(fair=2), max_steps=100))
    assert find_livelock(trace, 2) is None


def test_a_spinner_without_a_fair_bound_starves_the_others_and_gets_the_hint() -> None:
    result = search("until Rx | Wx", "preemption:2", options=SearchOptions(max_steps=100))
    assert result.failures == ()
    assert result.strongest is None
    assert result.starvation is not None
    assert (result.starvation.thread, result.starvation.starved, result.starvation.hint) == (0, (1,), "bound fair:2")


def test_a_loop_that_never_yields_needs_a_yield_and_no_bound_helps() -> None:
    starvation = find_starvation(long_run("Wx; Rx; while Rx | Wy", fair=2), 2)
    assert starvation is not None
    assert (starvation.yields, starvation.hint) == (False, "a yield in the loop")


def test_an_execution_that_came_without_its_prefix_is_run_again_to_be_judged() -> None:
    result = search("Ry; if Rx; Ry; unless yield; until Rz | Wy", "fair:1,preemption:1", options=SearchOptions(max_steps=100))
    assert result.executions > result.counts.executions
    assert all(failure.livelock is not None for failure in result.failures)
    assert all(len(failure.trace.steps) == 100 for failure in result.failures)
