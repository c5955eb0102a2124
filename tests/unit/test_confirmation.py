"""Between a failing execution and a finding: made small, made sure."""

from __future__ import annotations

import pytest

from bpor.confirmation import MAX_FINDINGS, confirm, distinct, places, smallest
from bpor.errors import Diverged
from bpor.model.deadline import Deadline
from bpor.model.schedule import Schedule
from bpor.model.trace import End, Outcome, Trace
from bpor.search.explorer import schedule_of
from bpor.search.livelock import Livelock
from bpor.search.result import Failure
from bpor.settings import Settings
from bpor.simulate.notation import parse
from tests.unit.test_api import ABBA, Described, Simulated


def failing(text: str, prefix: tuple[int, ...]) -> Failure:
    from bpor.model.plan import Plan

    plan = Plan(prefix=prefix)
    trace = Described(parse(text)).run(plan)
    assert trace.end.outcome.is_bug
    return Failure(schedule_of(plan, trace), trace)


def test_a_schedule_with_needless_switches_becomes_small() -> None:
    text = "Wx; Wy; Wz; lock a; lock b | Wp; Wq; lock b; lock a"
    failure = failing(text, (0, 1, 0, 1, 0, 0, 1))
    small = smallest(Described(parse(text)), failure, Settings())
    assert str(small) in ("0*4,1*3", "1*3,0*4")


def test_when_time_is_up_the_schedule_stays_as_it_was() -> None:
    text = "Wx; Wy; Wz; lock a; lock b | Wp; Wq; lock b; lock a"
    failure = failing(text, (0, 1, 0, 1, 0, 0, 1))
    ticks = iter(range(0, 10_000, 100))
    assert smallest(Described(parse(text)), failure, Settings(), clock=lambda: float(next(ticks))) == failure.schedule


def test_a_livelocks_schedule_is_left_alone() -> None:
    failure = Failure(Schedule((0, 1)), Trace(End(Outcome.STEP_LIMIT), ()), Livelock((), (), 0))
    assert smallest(Described(parse("Wx")), failure, Settings()) == failure.schedule


def test_a_schedule_that_passes_in_a_fresh_process_is_not_confirmed() -> None:
    failure = failing(ABBA, (0, 1))
    harmless = Simulated(parse("lock a; lock b; unlock b; unlock a | lock a; lock b; unlock b; unlock a"))
    with pytest.raises(Diverged):
        confirm(harmless.target, failure, failure.schedule, Settings())
    assert confirm(Simulated(parse(ABBA)).target, failure, failure.schedule, Settings()).schedule == failure.schedule


def test_a_schedule_that_fails_differently_is_not_confirmed() -> None:
    failure = failing(ABBA, (0, 1))
    other = Simulated(parse("lock a; exit 3 | lock b; lock a"))
    with pytest.raises(Diverged):
        confirm(other.target, failure, failure.schedule, Settings())


def test_equal_failures_are_one_and_the_cheapest_stands_for_them() -> None:
    def failure(preemptions: int, stack: int) -> Failure:
        return Failure(Schedule((preemptions,)), Trace(End(Outcome.ASSERTION, stack=(stack,)), (), preemptions=preemptions))

    executor = Described(parse("Wx"))
    kept = distinct(executor, [failure(3, 7), failure(1, 7), failure(2, 8)], Settings(), Deadline())
    assert [one.schedule.threads for one in kept] == [(1,), (2,)]
    assert len(distinct(executor, [failure(0, number) for number in range(100)], Settings(), Deadline())) == MAX_FINDINGS


def test_two_deadlocks_of_one_program_are_two_and_stay_two_when_made_small() -> None:
    text = "lock a; lock b; lock c; unlock c; unlock b; unlock a | lock b; lock a; unlock a; unlock b | lock c; lock a; unlock a; unlock c"
    executor = Described(parse(text))
    failures = distinct(executor, [failing(text, (0, 1)), failing(text, (2, 0, 0)), failing(text, (0, 2, 0))], Settings(), Deadline())
    smalls = [smallest(executor, failure, Settings()) for failure in failures]
    ends = {tuple(sorted(failing(text, small.threads).schedule.threads)) for small in smalls}
    assert len(failures) == len(ends) == 2


def test_without_addresses_no_execution_is_needed_to_name_them() -> None:
    executor = Described(parse("Wx"))
    assert places(executor, ()) == ()
    assert executor.executions == 0
