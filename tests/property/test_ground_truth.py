"""The engine on programs whose numbers are known: exact traces at every bound, and never more runs than the best figures known.

The last two columns are (complete runs, wasted runs) with transitive reduction, bound optimisation and sleep sets. Rows of 12 to 15 threads
have no oracle; their runs were counted by an independent implementation of the same rules (reference.py gives them too).
"""

from __future__ import annotations

import pytest

from bpor.model.trace import Outcome
from bpor.search.bounds.grammar import parse_bound
from bpor.simulate.oracle import Oracle
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
from tests.property.trial import oracle_bound, search

# program, bound, complete runs, wasted runs
RUNS: list[tuple[Program, str, int, int]] = [
    (figure_1(), "preemption:0", 2, 0),
    (figure_1(), "preemption:1", 2, 0),
    *((readers_and_writer(4), bound, 16, 0) for bound in ("preemption:0", "preemption:1")),
    *((readers_and_writer(6), bound, 64, 0) for bound in ("preemption:0", "preemption:1", "none")),
    *((work_stealing_queue(2, 2, 1), f"preemption:{bound}", runs, 0) for bound, runs in ((1, 11), (2, 30), (3, 44))),
    *((work_stealing_queue(2, 2, 2), f"preemption:{bound}", runs, 0) for bound, runs in ((1, 15), (2, 68), (3, 161), (4, 289))),
    (work_stealing_queue(2, 2, 2), "none", 51, 2),
    (philosophers(2), "preemption:0", 2, 0),
    (philosophers(2), "preemption:1", 6, 0),
    (philosophers(3), "preemption:0", 6, 0),
    (philosophers(3), "preemption:1", 22, 5),
    (philosophers(3), "preemption:2", 25, 8),
    (philosophers(4), "preemption:0", 14, 0),
    (philosophers(4), "preemption:1", 72, 25),
    (philosophers(4), "preemption:2", 98, 68),
    (philosophers(5), "preemption:0", 30, 2),
    (philosophers(5), "preemption:1", 194, 112),
    (philosophers(5), "preemption:2", 376, 424),
    (philosophers(5), "none", 31, 11),
    (last_zero(4), "preemption:0", 28, 1),
    (last_zero(4), "preemption:1", 110, 16),
    (last_zero(4), "preemption:2", 215, 45),
    (last_zero(4), "none", 28, 17),
    *((locked_increments(4), f"preemption:{bound}", 24, 0) for bound in (0, 1, 2)),
    *((spinners(), f"fair:{bound}", runs, wasted) for bound, runs, wasted in ((0, 7, 3), (1, 19, 7), (2, 37, 11), (3, 61, 15))),
    # The same executions as the best known, but those once found redundant run to their end: a block in which a thread ends never sleeps
    # under a fair bound (erratum E28).
    (spinners(), "fair:1,preemption:1", 38, 0),
    (spinners(), "fair:1,preemption:2", 41, 0),
    (spinners(), "fair:2,preemption:2", 68, 0),
]
LARGE: list[tuple[Program, str, int, int]] = [
    *((indexer(11), f"preemption:{bound}", 1, 0) for bound in (0, 1, 2)),
    *((indexer(12), f"preemption:{bound}", runs, 0) for bound, runs in enumerate((2, 7, 15, 22, 26))),
    *((indexer(13), f"preemption:{bound}", runs, 0) for bound, runs in enumerate((4, 24, 81))),
    *((file_system(13), f"preemption:{bound}", 1, 0) for bound in (0, 1, 2)),
    *((file_system(14), f"preemption:{bound}", runs, wasted) for bound, (runs, wasted) in enumerate(((2, 0), (6, 12), (8, 36)))),
    *((file_system(15), f"preemption:{bound}", runs, wasted) for bound, (runs, wasted) in enumerate(((4, 0), (20, 37)))),
    (indexer(12), "none", 8, 60),
    (file_system(14), "none", 2, 12),
]


def name(value: object) -> str:
    return getattr(value, "name", str(value))


@pytest.mark.parametrize(("program", "bound", "runs", "wasted"), RUNS + LARGE, ids=name)
def test_runs_are_never_more_than_the_best_known(program: Program, bound: str, runs: int, wasted: int) -> None:
    found = search(Oracle(program), bound)
    assert found.coverage.complete_runs <= runs
    assert found.coverage.complete_runs + found.coverage.other_runs <= runs + wasted


@pytest.mark.parametrize(("program", "bound", "runs", "wasted"), RUNS, ids=name)
def test_known_programs_are_searched_completely(program: Program, bound: str, runs: int, wasted: int) -> None:
    oracle = Oracle(program)
    truth = oracle.explore(oracle_bound(parse_bound(bound)))
    found = search(oracle, bound)
    assert not found.coverage.lacks(truth.coverage)
    assert found.result.counts.distinct_traces == truth.traces


TRACES = [
    (lost_update(2), (2, 8, 22, 32, 34)),
    (mutex_counter(2), (2, 4, 6, 6, 6)),
    (mutex_counter(3), (6, 24, 60, 90, 90)),
    (readers_and_writer(3), (8,) * 5),
]
UNBOUNDED = [
    *((indexer(threads), traces) for threads, traces in ((11, 1), (12, 8))),
    *((file_system(threads), traces) for threads, traces in ((13, 1), (14, 2), (15, 4))),
    *((philosophers(count), traces) for count, traces in ((3, 7), (4, 15), (5, 31))),
    *((philosophers(count, ordered=True), traces) for count, traces in ((3, 6), (4, 14), (5, 30))),
]


@pytest.mark.parametrize("with_main", [False, True], ids=["all live", "with main"])
@pytest.mark.parametrize(("program", "traces"), TRACES, ids=name)
def test_distinct_traces_within_each_bound_are_those_of_other_tools(program: Program, traces: tuple[int, ...], with_main: bool) -> None:
    oracle = Oracle(program.with_main() if with_main else program)
    bounds = (*(f"preemption:{bound}" for bound in range(4)), "none")
    assert tuple(search(oracle, bound).result.counts.distinct_traces for bound in bounds) == traces


@pytest.mark.slow
@pytest.mark.parametrize(
    ("program", "traces"), [(lost_update(3), (6, 60, 360, 1380)), (mutex_counter(4), (24, 168, 672, 1656))], ids=["lost", "mutex"]
)
def test_distinct_traces_of_larger_programs_are_those_of_other_tools(program: Program, traces: tuple[int, ...]) -> None:
    oracle = Oracle(program)
    assert tuple(search(oracle, f"preemption:{bound}").result.counts.distinct_traces for bound in range(4)) == traces


@pytest.mark.parametrize("with_main", [False, True], ids=["all live", "with main"])
@pytest.mark.parametrize(("program", "traces"), UNBOUNDED, ids=name)
def test_unbounded_search_finds_every_trace(program: Program, traces: int, with_main: bool) -> None:
    found = search(Oracle(program.with_main() if with_main else program), "none")
    assert found.result.counts.distinct_traces == found.coverage.traces == traces


def test_the_philosophers_deadlock_once_and_the_ordered_ones_never() -> None:
    assert search(Oracle(philosophers(4)), "none").coverage.deadlocks == 1
    found = search(Oracle(philosophers(4, ordered=True)), "none")
    assert found.coverage.deadlocks == 0 and {outcome for outcome, _ in found.coverage.final} == {Outcome.PASSED}


PLAIN = [
    (figure_1(), "preemption:1"),
    (readers_and_writer(4), "preemption:0"),
    (work_stealing_queue(2, 2, 1), "preemption:3"),
    (work_stealing_queue(2, 2, 2), "preemption:3"),
    (philosophers(3), "preemption:2"),
    (philosophers(4), "preemption:1"),
    (last_zero(4), "preemption:1"),
    (locked_increments(4), "preemption:1"),
    (spinners(), "fair:0"),
    (spinners(), "fair:1,preemption:2"),
]


@pytest.mark.parametrize(("program", "bound"), PLAIN, ids=name)
def test_plain_search_runs_every_schedule_once(program: Program, bound: str) -> None:
    oracle = Oracle(program)
    truth = oracle.explore(oracle_bound(parse_bound(bound)))
    assert search(oracle, bound, strategy="dfs").coverage.complete_runs == truth.schedules
