"""The nearest passing execution: one ordering turned round."""

from __future__ import annotations

from bpor.model.plan import Plan
from bpor.model.schedule import Schedule
from bpor.model.trace import Outcome, Trace
from bpor.search.neighbour import Neighbour, Race, nearest_passing, races_of
from bpor.simulate.executor import SimulatedExecutor
from bpor.simulate.notation import parse

CROSSED = "lock a; lock b; unlock b; unlock a | lock b; lock a; unlock a; unlock b"


def failing(text: str, schedule: str) -> tuple[SimulatedExecutor, Trace]:
    executor = SimulatedExecutor(parse(text))
    trace = executor.run(Plan(prefix=Schedule.parse(schedule).threads))
    assert trace.end.outcome.is_bug
    return executor, trace


def nearest(text: str, schedule: str) -> Neighbour | None:
    executor, trace = failing(text, schedule)
    found = nearest_passing(executor, trace, lambda: True)
    if found is not None:
        assert executor.run(Plan(prefix=found.schedule.threads)).end.outcome is Outcome.PASSED
    return found


def test_crossed_locks_pass_if_one_thread_gets_its_second_lock_first() -> None:
    found = nearest(CROSSED, "0,1")
    assert found is not None
    assert found.race in (Race(0, 1, 1), Race(1, 0, 1))
    assert found.reversed_races == 1


def test_a_read_that_came_too_late_passes_if_it_comes_before_the_write() -> None:
    found = nearest("W x | R x; assert", "0,1")
    assert found is not None
    assert (found.race, found.reversed_races) == (Race(0, 1, 0), 1)
    assert found.schedule.threads[0] == 1


def test_a_program_that_always_fails_has_no_passing_neighbour() -> None:
    assert nearest("W x; R x; assert | R x", "0") is None


def test_a_step_that_must_come_first_is_not_turned_round() -> None:
    """The wait cannot return before the post; what comes after both can be turned round."""
    found = nearest("post; W x | sem_wait; R x; assert", "0,0,1")
    assert found is not None
    assert found.race == Race(1, 1, 1)
    assert nearest("post | sem_wait; W x; R x; assert", "0,1") is None


def test_no_time_means_no_answer() -> None:
    executor, trace = failing(CROSSED, "0,1")
    assert nearest_passing(executor, trace, lambda: False) is None


def test_the_races_of_crossed_locks_are_the_second_locks() -> None:
    _, trace = failing(CROSSED, "0,1")
    assert set(races_of(trace)) == {Race(0, 1, 1), Race(1, 0, 1)}


def test_what_does_not_matter_keeps_its_order() -> None:
    """Turning round the race on x leaves those on a and b as they were, though they come before and after it."""
    found = nearest("W a; W x; W b | R a; R x; assert; R b", "0*3,1*2")
    assert found is not None
    assert found.race == Race(1, 1, 1)
    assert found.reversed_races == 1
    assert str(found.schedule).startswith("0,1*2,0")
