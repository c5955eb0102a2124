"""The oracle's counts equal the known ones: schedules of plain bounded search, and Mazurkiewicz traces, per program and bound.

Traces within a preemption bound were also counted by two or three independent tools for the programs of `GROUND_TRUTH`.
"""

from __future__ import annotations

import pytest

from bpor.simulate.bounds import Combined, OracleBound, preemption
from bpor.simulate.oracle import Oracle, TooManyPrefixes
from bpor.simulate.program import Program
from bpor.simulate.programs import (
    figure_1,
    file_system,
    indexer,
    last_zero,
    locked_increments,
    lost_update,
    mutex_counter,
    philosophers,
    readers_and_writer,
    spinners,
    work_stealing_queue,
)

NONE = Combined()

# program, bound -> (schedules, traces)
TABLE: list[tuple[Program, OracleBound, int, int]] = [
    (figure_1(), preemption(0), 2, 2),
    (figure_1(), preemption(1), 3, 2),
    *((readers_and_writer(4), preemption(bound), 120, 16) for bound in (0, 1)),
    *((readers_and_writer(6), preemption(bound), 5040, 64) for bound in (0, 1)),
    (readers_and_writer(6), NONE, 5040, 64),
    (work_stealing_queue(2, 2, 1), preemption(1), 15, 8),
    (work_stealing_queue(2, 2, 1), preemption(2), 79, 9),
    (work_stealing_queue(2, 2, 1), preemption(3), 201, 9),
    (work_stealing_queue(2, 2, 2), preemption(1), 20, 13),
    (work_stealing_queue(2, 2, 2), preemption(2), 168, 32),
    (work_stealing_queue(2, 2, 2), preemption(3), 647, 47),
    (work_stealing_queue(2, 2, 2), preemption(4), 2251, 51),
    (work_stealing_queue(2, 2, 2), NONE, 51409, 51),
    (philosophers(2), preemption(0), 2, 2),
    (philosophers(2), preemption(1), 6, 3),
    (philosophers(3), preemption(0), 6, 6),
    (philosophers(3), preemption(1), 57, 7),
    (philosophers(3), preemption(2), 129, 7),
    (philosophers(4), preemption(0), 24, 14),
    (philosophers(4), preemption(1), 512, 15),
    (philosophers(4), preemption(2), 3116, 15),
    (philosophers(5), preemption(0), 120, 30),
    (philosophers(5), preemption(1), 4820, 31),
    (philosophers(5), preemption(2), 64705, 31),
    (philosophers(5), NONE, 66468720, 31),
    (last_zero(4), preemption(0), 120, 28),
    (last_zero(4), preemption(1), 1166, 28),
    (last_zero(4), preemption(2), 5940, 28),
    (last_zero(4), NONE, 44300, 28),
    *((locked_increments(4), preemption(bound), 24, 24) for bound in (0, 1, 2)),
    (spinners(), Combined(fair=0), 321, 7),
    (spinners(), Combined(fair=1), 1836, 19),
    (spinners(), Combined(fair=2), 5394, 37),
    (spinners(), Combined(fair=3), 12108, 61),
    (spinners(), Combined(1, 1), 276, 19),
    (spinners(), Combined(2, 1), 903, 19),
    (spinners(), Combined(2, 2), 2496, 37),
]


@pytest.mark.parametrize(("program", "bound", "schedules", "traces"), TABLE, ids=lambda value: getattr(value, "name", str(value)))
def test_schedules_and_traces_are_those_of_the_table(program: Program, bound: OracleBound, schedules: int, traces: int) -> None:
    truth = Oracle(program).explore(bound)
    assert (truth.schedules, truth.traces) == (schedules, traces)


GROUND_TRUTH = [
    (lost_update(2), (2, 8, 22, 32, 34)),
    (mutex_counter(2), (2, 4, 6, 6, 6)),
    (mutex_counter(3), (6, 24, 60, 90, 90)),
    (readers_and_writer(3), (8,) * 5),
    (readers_and_writer(5), (32,) * 5),
]


@pytest.mark.parametrize(("program", "traces"), GROUND_TRUTH, ids=lambda value: getattr(value, "name", ""))
@pytest.mark.parametrize("with_main", [False, True], ids=["all live", "with main"])
def test_traces_within_a_preemption_bound_are_those_of_other_tools(program: Program, traces: tuple[int, ...], with_main: bool) -> None:
    oracle = Oracle(program.with_main() if with_main else program)
    bounds = (*map(preemption, range(4)), NONE)
    assert tuple(oracle.explore(bound).traces for bound in bounds) == traces


@pytest.mark.slow
@pytest.mark.parametrize(
    ("program", "traces"),
    [(lost_update(3), (6, 60, 360, 1380, 7134)), (mutex_counter(4), (24, 168, 672, 1656, 2520))],
    ids=["lost", "mutex"],
)
def test_larger_programs_have_the_traces_of_other_tools(program: Program, traces: tuple[int, ...]) -> None:
    oracle = Oracle(program)
    assert tuple(oracle.explore(bound).traces for bound in (*map(preemption, range(4)), NONE)) == traces


@pytest.mark.parametrize(("count", "left", "ordered"), [(3, 7, 6), (4, 15, 14), (5, 31, 30)])
def test_philosophers_deadlock_in_one_trace_unless_the_forks_are_ordered(count: int, left: int, ordered: int) -> None:
    truth = Oracle(philosophers(count)).explore()
    assert (truth.traces, truth.deadlocks) == (left, 1)
    truth = Oracle(philosophers(count, ordered=True)).explore()
    assert (truth.traces, truth.deadlocks) == (ordered, 0)


def test_a_program_without_end_is_too_large_and_not_quietly_cut() -> None:
    with pytest.raises(TooManyPrefixes):
        Oracle(spinners(2), max_steps=40).explore()
    with pytest.raises(TooManyPrefixes):
        Oracle(indexer(12), max_prefixes=1_000).explore()


def test_threads_that_never_meet_have_one_trace() -> None:
    assert Oracle(indexer(3)).explore().traces == 1
    assert Oracle(file_system(2)).explore().traces == 1
