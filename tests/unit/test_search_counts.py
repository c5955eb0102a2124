"""How many executions each search needs: complete ones + wasted ones. Losing a trace lowers a count, losing a reduction raises it.

The figures were found independently, with a prototype that was checked against an exact oracle.
"""

from __future__ import annotations

import pytest

from bpor.search.options import SearchOptions
from bpor.simulate import programs
from bpor.simulate.program import Program
from tests.unit.search_runs import runs, search

Runs = tuple[int, int]

PREEMPTION: list[tuple[Program, dict[int, Runs]]] = [
    (programs.figure_1(), {0: (2, 0), 1: (2, 0)}),
    (programs.readers_and_writer(4), {0: (16, 0), 1: (16, 0)}),
    (programs.readers_and_writer(6), {0: (64, 0), 1: (64, 0)}),
    (programs.work_stealing_queue(2, 2, 1), {1: (11, 0), 2: (30, 0), 3: (44, 0)}),
    (programs.work_stealing_queue(2, 2, 2), {1: (15, 0), 2: (68, 0), 3: (161, 0), 4: (289, 0)}),
    (programs.philosophers(2), {0: (2, 0), 1: (6, 0)}),
    (programs.philosophers(3), {0: (6, 0), 1: (22, 5), 2: (25, 8)}),
    (programs.philosophers(4), {0: (14, 0), 1: (72, 25), 2: (98, 68)}),
    (programs.philosophers(5), {0: (30, 2), 1: (194, 112), 2: (376, 424)}),
    (programs.last_zero(4), {0: (28, 1), 1: (110, 16), 2: (215, 45)}),
    (programs.locked_increments(4), {0: (24, 0), 1: (24, 0), 2: (24, 0)}),
    (programs.indexer(11), {0: (1, 0), 2: (1, 0)}),
    (programs.indexer(12), {0: (2, 0), 1: (7, 0), 2: (15, 0), 3: (22, 0), 4: (26, 0)}),
    (programs.indexer(13), {0: (4, 0), 1: (24, 0), 2: (81, 0)}),
    (programs.file_system(13), {0: (1, 0), 2: (1, 0)}),
    (programs.file_system(14), {0: (2, 0), 1: (6, 12), 2: (8, 36)}),
    (programs.file_system(15), {0: (4, 0), 1: (20, 37)}),
]

UNBOUNDED: list[tuple[Program, Runs]] = [
    (programs.work_stealing_queue(2, 2, 2), (51, 2)),
    (programs.philosophers(5), (31, 11)),
    (programs.last_zero(4), (28, 17)),
    (programs.readers_and_writer(6), (64, 0)),
    (programs.indexer(12), (8, 60)),
    (programs.file_system(14), (2, 12)),
]

SPINNERS = {
    "fair:0": (7, 3), "fair:1": (19, 7), "fair:2": (37, 11), "fair:3": (61, 15),
    # A block that contains the end of its thread never sleeps (erratum E28): what was redundant runs to its end.
    "fair:1,preemption:1": (38, 0), "fair:1,preemption:2": (41, 0), "fair:2,preemption:2": (68, 0),
}  # fmt: skip

NO_OPTIONS = SearchOptions(sleep_sets=False, transitive_reduction=False, bound_optimisation=False, release_optimisation=False)
PLAIN = {"Wa; Wx | Wx": {0: 2, 1: 3}, "Wx | Rx | Rx | Rx | Rx": {0: 65, 1: 65}}


@pytest.mark.parametrize(
    ("program", "bound", "expected"),
    [
        pytest.param(program, bound, expected, id=f"{program.name}-{bound}")
        for program, row in PREEMPTION
        for bound, expected in row.items()
    ],
)
def test_a_preemption_bound_takes_as_many_executions_as_it_should(program: Program, bound: int, expected: Runs) -> None:
    assert runs(search(program, f"preemption:{bound}")) == expected


@pytest.mark.parametrize(("program", "expected"), [pytest.param(program, expected, id=program.name) for program, expected in UNBOUNDED])
def test_unbounded_search_takes_one_execution_per_trace_and_a_few_redundant_ones(program: Program, expected: Runs) -> None:
    result = search(program, "none", "dpor")
    assert runs(result) == expected
    assert result.counts.distinct_traces == expected[0]


@pytest.mark.parametrize(("bound", "expected"), SPINNERS.items())
def test_a_fair_bound_takes_as_many_executions_as_it_should(bound: str, expected: Runs) -> None:
    assert runs(search(programs.spinners(), bound)) == expected


@pytest.mark.parametrize(("text", "bound"), [(text, bound) for text, row in PLAIN.items() for bound in row])
def test_without_its_options_the_search_is_the_published_one(text: str, bound: int) -> None:
    assert runs(search(text, f"preemption:{bound}", options=NO_OPTIONS)) == (PLAIN[text][bound], 0)


@pytest.mark.parametrize(
    ("program", "bound", "schedules"),
    [
        (programs.figure_1(), 1, 3),
        (programs.readers_and_writer(4), 0, 120),
        (programs.work_stealing_queue(2, 2, 2), 2, 168),
        (programs.philosophers(3), 2, 129),
        (programs.last_zero(4), 1, 1166),
    ],
    ids=lambda value: value.name if isinstance(value, Program) else str(value),
)
def test_depth_first_search_runs_every_schedule_within_the_bound(program: Program, bound: int, schedules: int) -> None:
    assert runs(search(program, f"preemption:{bound}", "dfs")) == (schedules, 0)


@pytest.mark.parametrize(("option", "executions"), [("sleep_sets", 93), ("transitive_reduction", 58), ("bound_optimisation", 73)])
def test_each_option_can_be_switched_off_and_what_it_saves_comes_back(option: str, executions: int) -> None:
    program = programs.last_zero(3)
    with_all = search(program, "preemption:2").counts
    without = search(program, "preemption:2", options=SearchOptions(**{option: False})).counts
    assert (with_all.executions, without.executions) == (57, executions)
    assert with_all.distinct_traces == without.distinct_traces


@pytest.mark.parametrize(
    ("program", "executions"),
    [
        (programs.work_stealing_queue(2, 2, 2), 1233),
        (programs.philosophers(5), 121),
        (programs.last_zero(4), 195),
        (programs.readers_and_writer(6), 1957),
    ],
    ids=lambda value: value.name if isinstance(value, Program) else str(value),
)
def test_without_sleep_sets_unbounded_search_is_the_published_one(program: Program, executions: int) -> None:
    assert runs(search(program, "none", "dpor", SearchOptions(sleep_sets=False))) == (executions, 0)


def test_the_release_optimisation_can_be_switched_off() -> None:
    program = programs.work_stealing_queue(2, 2, 2)
    assert search(program, "none", "dpor", SearchOptions(release_optimisation=False)).counts.executions == 69


@pytest.mark.parametrize(
    ("program", "traces"),
    [
        (programs.lost_update(2), {0: 2, 1: 8, 2: 22, 3: 32}),
        (programs.mutex_counter(2), {0: 2, 1: 4, 2: 6}),  # the third level refused nobody: there is nothing above it
        (programs.mutex_counter(3), {0: 6, 1: 24, 2: 60, 3: 90}),
    ],
    ids=lambda value: value.name if isinstance(value, Program) else "",
)
def test_the_levels_of_a_range_report_their_distinct_traces(program: Program, traces: dict[int, int]) -> None:
    """Equal in two or three independent tools."""
    levels = search(program, "preemption:0..3").levels
    assert {index: level.counts.distinct_traces for index, level in enumerate(levels)} == traces
    assert all(level.complete for level in levels)
