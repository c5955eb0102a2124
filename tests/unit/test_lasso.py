"""Endless schedules: their text, the round in the states of an execution, and rounds that only count."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import pytest

from bpor.model.operation import ObjectAccess, Operation
from bpor.model.schedule import Schedule
from bpor.model.step import Step
from bpor.model.trace import Change, End, Outcome, Trace
from bpor.protocol.ops import Op
from bpor.report.backing_off import is_std_lock
from bpor.search.lasso.check import Proof, judge
from bpor.search.lasso.counters import Counter, counters_of, periodic
from bpor.search.lasso.rounds import Walk, able, starved
from bpor.search.livelock import Nature, livelock_of

# ---- text ----


@pytest.mark.parametrize("text", ["0*2(1,2)*", "(0)*", "0*4,1*2,0(1*3,0*2)*", "0*4,1*2,0", ""])
def test_a_lasso_is_written_as_it_is_read(text: str) -> None:
    assert str(Schedule.parse(text)) == text


@pytest.mark.parametrize("text", ["0(1)", "(0)*1", "(0)*(1)*", "0()*", "((0)*)*", "0(1,x)*", "0(1)**"])
def test_what_is_no_lasso_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        Schedule.parse(text)


def test_rounds_are_unrolled_behind_the_stem() -> None:
    lasso = Schedule.parse("0*2(1,2)*")
    assert lasso.unrolled(2) == Schedule((0, 0, 1, 2, 1, 2))
    assert len(lasso) == 4


# ---- executions by hand ----


def step(thread: int, enabled: int, site: int = 0, **more: object) -> Step:
    operation = Operation(Op.YIELD, site=site or thread)
    return Step(thread, operation, (), enabled, ((thread, operation),), yields=True)._replace(**more)  # type: ignore[arg-type]


def execution(threads: str, states: str, enabled: int = 0b11, outcome: Outcome = Outcome.STOPPED) -> Trace:
    """One letter for each state."""
    steps = tuple(step(int(thread), enabled) for thread in threads)
    initial = tuple((thread, Operation(Op.YIELD, site=thread)) for thread in range(2))
    return Trace(End(outcome), steps, initial=initial, enabled=enabled, states=tuple(map(ord, states)))


def test_a_state_that_comes_back_with_everybody_moving_is_a_fair_round() -> None:
    assert Walk(execution("00101", "abcdec")).fair_round() == Schedule((0, 0), (1, 0, 1))


def test_a_round_in_which_another_could_run_and_never_does_is_unfair() -> None:
    walk = Walk(execution("0111", "abcab"))
    assert walk.fair_round() == Schedule((), (0, 1, 1)), "thread 0 does run in the round that leads through `a`"
    alone = Walk(execution("0111", "abcdb"))
    assert alone.fair_round() is None
    assert alone.unfair_rounds() == [{1, 2, 3}]


def test_two_rounds_that_are_unfair_each_are_fair_together() -> None:
    """`spin x | spin y`: the union of two loops at one state."""
    assert Walk(execution("01", "aaa")).fair_round() == Schedule((), (0, 1))


def test_a_thread_that_waits_with_a_timeout_could_run() -> None:
    waiting = Operation(Op.SEM_TIMEDWAIT, timed=True)
    trace = replace(execution("00", "aaa", enabled=0b01), initial=((0, Operation(Op.YIELD)), (1, waiting)))
    assert able(trace) == [0b11] * 3
    assert starved(trace, 0, 2) == 0b10
    assert Walk(trace).fair_round() is None


def test_a_lasso_is_proved_by_the_same_state_three_times() -> None:
    lasso = Schedule((0,), (1, 0))
    assert judge(lasso, execution("01010", "abcbcb")).proof is Proof.PROVED
    assert judge(lasso, execution("01010", "abcbcd")).proof is Proof.NONE
    assert judge(lasso, execution("01010", "abcbcb", enabled=0b111)).starved == 0b100
    assert judge(lasso, replace(execution("01010", "abcbcb"), unidentified="no")).proof is Proof.NONE


def test_a_round_of_one_thread_waits_for_ever() -> None:
    lasso = Schedule((0, 1), (1,))
    livelock = livelock_of(lasso, judge(lasso, execution("0111", "abccc", enabled=0b10)))
    assert livelock.nature is Nature.WAITS
    assert [spinner.thread for spinner in livelock.spinners] == [1]


# ---- counters ----


def test_a_long_execution_that_goes_round_is_a_lasso_by_its_shape() -> None:
    trace = execution("000" + "01" * 20, "", outcome=Outcome.STEP_LIMIT)
    assert periodic(trace) == Schedule((0, 0, 0, 0, 1), (0, 1))


def test_work_without_a_yield_is_no_lasso() -> None:
    trace = execution("01" * 20, "", outcome=Outcome.STEP_LIMIT)
    busy = tuple(each._replace(yields=each.thread == 0) for each in trace.steps)
    assert periodic(replace(trace, steps=busy)) is None


def test_the_shape_of_a_round_holds_where_it_failed() -> None:
    trace = execution("01" * 20, "", outcome=Outcome.STEP_LIMIT)
    uneven = tuple(each._replace(failed=index % 3 == 0) for index, each in enumerate(trace.steps))
    assert periodic(replace(trace, steps=uneven)) == Schedule((0, 1) * 3, (0, 1) * 3)


def counted(*values: int, address: int = 0x5000, thread: int | None = None) -> tuple[Change, ...]:
    """A word after each round of two steps."""
    return tuple(Change(2 * number, address, before, now, thread, 77) for number, (before, now) in enumerate(pairwise(values), 1))


ROUNDS = Schedule((), (0, 1))


def test_a_word_that_grows_by_the_same_in_every_round_counts() -> None:
    trace = replace(execution("01" * 4, ""), changes=counted(5, 7, 9, 11, 13))
    assert counters_of(trace, ROUNDS) == (Counter(77, None, 2),)


def test_a_word_may_count_down_and_in_its_upper_half() -> None:
    top = 1 << 32
    trace = replace(execution("01" * 4, ""), changes=counted(9 * top, 8 * top, 7 * top, 6 * top, 5 * top))
    assert counters_of(trace, ROUNDS) == (Counter(81, None, -1),)


@pytest.mark.parametrize(
    "changes",
    [
        pytest.param(counted(5, 7, 9, 12, 14), id="another amount"),
        pytest.param(counted(5, 7, 9, 11), id="not in the last round"),
        pytest.param((), id="nothing differs"),
        pytest.param(counted(5, 7, 9, 11, 13, address=1), id="no word of memory"),
        pytest.param((*counted(5, 7, 9, 11, 13), Change(6, 0x6000, 0, 1, None)), id="another word, once"),
    ],
)
def test_what_does_not_grow_evenly_is_no_counter(changes: tuple[Change, ...]) -> None:
    assert counters_of(replace(execution("01" * 4, ""), changes=changes), ROUNDS) is None


def test_a_round_that_ended_counts_nothing() -> None:
    ended = replace(execution("01" * 4, "", outcome=Outcome.PASSED), changes=counted(5, 7, 9, 11, 13))
    assert counters_of(ended, ROUNDS) is None


def test_a_round_that_does_something_else_counts_nothing() -> None:
    trace = replace(execution("01" * 4, ""), changes=counted(5, 7, 9, 11, 13))
    other = (*trace.steps[:-1], trace.steps[-1]._replace(footprint=(ObjectAccess(1, True),), failed=True))
    assert counters_of(replace(trace, steps=other), ROUNDS) is None


# ---- what is excused ----


@pytest.mark.parametrize(
    ("function", "excused"),
    [
        ("std::lock<std::mutex, std::mutex>", True),
        ("std::__1::lock<std::__1::mutex, std::__1::mutex>", True),
        ("std::__detail::__lock_impl<std::mutex, std::mutex>", True),
        ("std::lock", True),
        ("std::lock_guard<std::mutex>::lock_guard", False),
        ("std::mutex::lock", False),
        ("my::lock<int>", False),
    ],
)
def test_the_standard_librarys_way_to_take_two_locks_is_known(function: str, excused: bool) -> None:
    assert is_std_lock(function) is excused
