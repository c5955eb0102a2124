"""Optimal DPOR runs exactly one execution per trace and none that is redundant; in other orders it misses nothing either.

Timeouts of idle states are the exception: which of them comes first is no race, so all are tried (erratum E22); those that nothing else
notices sleep, but some executions end asleep and some traces are run twice.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from bpor.search.engine.history import History
from bpor.search.optimal import follower, search
from bpor.search.optimal.order import ORDERS
from bpor.search.optimal.races import Races
from bpor.search.optimal.wakeup import Item
from bpor.simulate.executor import SimulatedExecutor
from bpor.simulate.notation import parse
from bpor.simulate.oracle import Oracle
from bpor.simulate.programs import indexer
from tests.property.named_search import OPTIONS, compare, compare_sample
from tests.property.random_programs import Sample, samples

CALM = settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True)


@CALM
@given(sample=samples())
def test_there_is_one_execution_per_trace_and_none_is_redundant(sample: Sample) -> None:
    assume(sample.semantics.explore_timeouts or "timed" not in sample.text)
    found = compare_sample(sample, "optimal", "none")
    assert not found.missing
    assert found.result.counts.redundant == 0
    assert found.result.counts.complete == found.truth.traces == found.result.counts.distinct_traces


@CALM
@given(sample=samples(), order=st.sampled_from(sorted(set(ORDERS) - {"dfs"})))
def test_every_other_order_reaches_what_brute_force_reaches(sample: Sample, order: str) -> None:
    found = compare_sample(sample, "optimal:" + order, "none")
    assert not found.missing


def test_a_step_that_may_end_the_process_does_not_sleep_before_its_turn() -> None:
    """That the unlock of a mutex which nobody holds ends the process shows only when it is made."""
    found = compare(Oracle(parse("exit | unlock o | Ry | Rx")), "optimal:bit-reversal", "none")
    assert not found.missing


@CALM
@given(sample=samples())
def test_timeouts_of_idle_states_are_all_tried(sample: Sample) -> None:
    assume(not sample.semantics.explore_timeouts and "timed" in sample.text)
    found = compare_sample(sample, "optimal", "none")
    assert not found.missing


@pytest.mark.parametrize(("waiters", "executions"), [(3, 4), (4, 8), (5, 16)])
def test_timeouts_that_nobody_notices_are_not_tried_in_every_order(waiters: int, executions: int) -> None:
    """One trace; every order would be waiters! executions."""
    text = " | ".join(f"sem_timedwait s{number}" for number in range(waiters))
    found = compare(Oracle(parse(text)), "optimal", "none")
    assert not found.missing
    assert (found.result.counts.complete, found.result.counts.executions) == (1, executions)


def test_timeouts_that_conflict_are_tried_in_every_order() -> None:
    found = compare(Oracle(parse("sem_timedwait a; Wx | sem_timedwait b; Wx | sem_timedwait d; Wx")), "optimal", "none")
    assert not found.missing
    assert (found.result.counts.complete, found.result.counts.redundant) == (6, 0)


def test_what_a_timeout_leaves_to_do_wakes_another_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """The third thread's timeout touches nothing that the first one's brings about, but leaves it waiting for n, which that unlocks."""
    text = "lock n; sem_timedwait; unlock n | lock m; lock n | timedlock m; lock n"
    assert not compare(Oracle(parse(text)), "optimal", "none").missing
    for module in (search, follower):
        monkeypatch.setattr(module, "leaves_something", lambda watch, step: False)
    assert compare(Oracle(parse(text)), "optimal", "none").missing


class NothingIsPassed(Races):
    """A step that cannot be reversed itself hides those before it: a lock is never taken in the other order."""

    def _firsts(self, second: Any, reversed_already: list[int]) -> Iterator[int]:
        return itertools.islice(super()._firsts(second, reversed_already), 1)


class TheEndIsForgotten(Races):
    """A thread that the end of the process kept from running is let run, but the end is not wanted right after it."""

    def _end_again(self, dropped: Any, last: Any) -> list[Item]:
        return []


@pytest.mark.parametrize(
    ("wrong", "text"),
    [
        (NothingIsPassed, "lock; Wx; unlock | lock; Rx; unlock"),
        (NothingIsPassed, "rdlock; rdunlock | wrlock; wrunlock"),
        (TheEndIsForgotten, "Wy; Ry; assert | Wy | Wx"),
    ],
)
def test_a_wrong_rule_misses_traces(wrong: type[Races], text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert not compare(Oracle(parse(text)), "optimal", "none").missing
    monkeypatch.setattr(search, "Races", wrong)
    assert compare(Oracle(parse(text)), "optimal", "none").missing


def test_a_try_taken_for_what_it_announces_loses_traces(monkeypatch: pytest.MonkeyPatch) -> None:
    """In another past it may fail, and be a read."""
    text = "CAS x | CAS x; RMW x | R x | R x"
    assert not compare(Oracle(parse(text)), "optimal", "none").missing
    monkeypatch.setattr(search, "to_settle", lambda sequence, others: None)
    assert compare(Oracle(parse(text)), "optimal", "none").missing


@pytest.mark.parametrize(
    "text",
    [
        "tryrdlock | wrlock | rdlock",
        "tryrdlock | rdlock; rdunlock; rdlock | rdlock; rdunlock; wrlock",
        "unlock o; Ry; assert | spawn 2; join 2 | wrlock; wrunlock; trywrlock; if wrunlock",
        "spawn 3; join 3 | exit; trywrlock; if wrunlock | rdlock; Ry; assert | rdlock",
        "exit; Rx; assert | exit; Ry; assert | unlock o; exit",
        "lock m; wait c m; unlock m | signal; lock m; broadcast; unlock m; lock m",
        "RMWx | Wy; Rx | Rx",
        "CAS x | CAS x; RMW x | R x | R x",
        "wrlock; wrunlock; lock | rdlock | rdlock; wrlock | rdlock; rdunlock; rdlock",
        "rdlock | wrlock; wrunlock; rdlock | wrlock | tryrdlock; if rdunlock",
        "rdlock | wrlock; wrunlock; rdlock | wrlock; wrunlock | tryrdlock; if rdunlock",
        "CAS x | CAS x; RMW x | R x | CAS x",
        "CAS x | R x; W x | R x | RMW x; RMW x",
        "trylock n; CAS x; R x; trylock m; if unlock m | CAS x; Rx; assert | trylock m; if Wx | trylock n; CAS x",
    ],
)
def test_programs_that_were_hard_stay_exact(text: str) -> None:
    """Each was missed, run twice or not followed by an earlier version."""
    found = compare(Oracle(parse(text)), "optimal", "none")
    assert not found.missing
    assert (found.result.counts.complete, found.result.counts.redundant) == (found.truth.traces, 0)


def looks(rounds: int, monkeypatch: pytest.MonkeyPatch) -> int:
    """How often one execution of four threads, each with an object of its own and one of all, asks what happens before what."""
    calls = [0]
    knows = History.knows

    def counting(history: History, clock: Any, index: int) -> bool:
        calls[0] += 1
        return knows(history, clock, index)

    with monkeypatch.context() as patch:
        patch.setattr(History, "knows", counting)
        text = " | ".join(f"{rounds}*RMW own{thread}; lock; RMWx; unlock" for thread in range(4))
        searching = search.Wakeups(OPTIONS)
        plan = searching.next_plan()
        assert plan is not None
        searching.learn(SimulatedExecutor(parse(text)).run(replace(plan, max_steps=5_000)))
    return calls[0]


def test_what_was_asked_once_is_not_asked_again() -> None:
    searching, executor = search.Wakeups(OPTIONS), SimulatedExecutor(indexer(13))
    asked: list[tuple[int, ...]] = []
    while (plan := searching.next_plan()) is not None:
        asked += [searching._question.key] if searching._question is not None else []
        searching.learn(executor.run(plan))
    assert 0 < searching.questions == len(asked) == len(set(asked)) < searching.tally.counts().complete == 64


def test_twice_the_steps_take_about_twice_the_looks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Races are found through the objects, not by going through all the steps before."""
    assert looks(200, monkeypatch) < 2.5 * looks(100, monkeypatch)
