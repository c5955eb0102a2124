"""The page that `make paper` writes: its tables are measured, its claims decided by the run, its published figures those of the papers."""

from __future__ import annotations

from dataclasses import replace

import pytest

from benchmarks.paper.bugs import PUBLISHED, executions, published_table
from benchmarks.paper.cartesian.system import Size, without_reduction
from benchmarks.paper.cartesian.table import LINES, Line, Reduced, cartesian_table, reduce_one
from benchmarks.paper.cartesian.vector import with_reduction
from benchmarks.paper.claims import is_sooner, runs_more, verdict
from benchmarks.paper.coverage import BPOR, OPTIMISED, PLAIN, PREEMPTION, TESTS, Measured, coverage_plot, coverage_table, redundancy_plot
from benchmarks.paper.document import markdown
from benchmarks.paper.optimisations import levels
from benchmarks.paper.orders import order_table, reduction_table, run
from benchmarks.paper.queue import PUBLISHED as QUEUE
from bpor.search.bounds import parse_bound
from bpor.search.comparison import Row
from bpor.search.tally import Counts
from bpor.simulate import programs


def test_a_cell_may_hold_a_bar() -> None:
    assert markdown([("program", "n"), ("Wx | Rx", "2")]).splitlines()[-1] == "| Wx \\| Rx | 2 |"


def test_a_claim_that_a_run_contradicts_names_where_and_one_it_cannot_decide_says_so() -> None:
    assert verdict([], 3) == "holds in 3 of 3 comparisons"
    assert verdict(["fft at preemption:1"], 3) == "holds in 2 of 3 comparisons; not in: fft at preemption:1"
    assert verdict([], 0).startswith("not decided")


def row(executions: int, first_failure: int | None = None, bound: str = "none", states: int = 1, finished: bool = False) -> Row:
    counts = Counts(executions=executions, local_states=states, steps=2 * states)
    return Row("dfs", parse_bound(bound), counts, executions, 1.0, finished, 0, first_failure, None)


def test_a_search_that_was_stopped_before_the_other_one_met_the_bug_tells_nothing() -> None:
    assert is_sooner(row(10, 5), row(10, 6)) is True
    assert is_sooner(row(10, 7), row(10, 6)) is False
    assert is_sooner(row(10, 5), row(9, None)) is True
    assert is_sooner(row(10, 5), row(4, None)) is None
    assert is_sooner(row(9, None), row(10, 5)) is False
    assert is_sooner(row(4, None), row(10, 5)) is None


def test_a_random_search_is_the_mean_of_its_draws_and_none_if_one_missed() -> None:
    assert executions([row(10, 4), row(10, 8)]) == 6
    assert executions([row(10, 4), row(10, None)]) is None


# ---- Cartesian, Table 1 ----


def lines(*names: str) -> list[Line]:
    found = [line for line in LINES if line[0].name in names]
    assert len(found) == len(names)
    return found


EXACT = (
    *("SharedPtr", "SharedArray", "2 Robots", "3 Robots", "File System (13 Threads)", "File System (14 Threads)"),
    *("File System (15 Threads)", "Indexer (11 Threads)", "Indexer (12 Threads)", "Indexer (13 Threads)"),
    *(f"{count} Philosophers" for count in range(2, 8)),
)


@pytest.mark.parametrize("line", lines(*EXACT), ids=lambda line: line[0].name)
def test_the_cartesian_column_is_the_published_one_to_the_last_transition(line: Line) -> None:
    system, (_, published) = line
    assert with_reduction(system) == published


SMALL = ("SharedArray", "2 Robots", "File System (3 Threads)", "Indexer (4 Threads)", *(f"{count} Philosophers" for count in range(2, 7)))


@pytest.mark.parametrize("line", lines(*SMALL), ids=lambda line: line[0].name)
def test_the_standard_column_is_the_published_one(line: Line) -> None:
    system, (published, _) = line
    assert without_reduction(system, 5_000) == published


def test_the_sorting_program_has_the_published_states_where_the_text_decides_them() -> None:
    two, three = (with_reduction(system) for system, _ in lines("CMIS C=128 N=256", "CMIS C=127 N=255"))
    assert (two.states, three.states) == (6, 11)


def test_no_row_of_the_published_table_is_left_out() -> None:
    assert len(LINES) == 53
    assert len({system.name for system, _ in LINES}) == 53


def test_a_row_that_differs_from_the_published_one_says_so() -> None:
    published = (Size(9, 8), Size(1, 8))
    equal, differs = (Reduced("p", published, Size(9, 8), found, None) for found in (Size(1, 8), Size(1, 9)))
    assert [cells[5] for cells in cartesian_table([equal, differs])[1:]] == ["equal", "differs"]


def test_this_tools_search_reaches_the_deadlocks_too_and_saves_states_all_the_same() -> None:
    found = reduce_one(lines("5 Philosophers")[0], 1_000)
    assert found.standard is not None and found.ours is not None
    assert found.ours.states < found.standard.states


# ---- the dissertation ----


def measured() -> Measured:
    """A program of 100 local states of which bound 1 reaches 60, and a search without reduction that does not finish at bound 1."""
    reduced = [row(count, bound=f"preemption:{value}", states=states, finished=True) for value, count, states in ((0, 3, 20), (1, 9, 60))]
    plain = [row(10, bound="preemption:0", states=20, finished=True), row(99, bound="preemption:1", states=40)]
    variants = {PLAIN: plain, BPOR: reduced, OPTIMISED: reduced}
    whole = row(30, states=100, finished=True)
    return Measured(TESTS[0], {PREEMPTION: variants}, {"DPOR": whole, "DPOR optimised": whole}, row(31, bound="preemption:2"))


def test_plain_search_within_a_small_bound_is_run_until_it_has_more_executions_than_the_unbounded_one() -> None:
    more, fewer = measured(), replace(measured(), small=row(29, bound="preemption:2", finished=True))
    assert runs_more([more]) == "holds in 1 of 1 comparisons"
    assert runs_more([more, fewer]) == "holds in 1 of 2 comparisons; not in: manual-reset event"


def test_coverage_is_a_share_of_the_state_space() -> None:
    table = coverage_table(measured())
    assert table[1] == ("preemption:0", "10 · 20 % · 2.00", "3 · 20 % · 2.00", "3 · 20 % · 2.00")
    assert table[2][1] == ">99 · 40 % · 2.00"
    assert ">60 %<" not in coverage_plot(measured()) and "% of the local states" in coverage_plot(measured())
    assert "visited / unique" in redundancy_plot(measured())


def test_a_search_that_did_not_finish_is_no_point_of_a_curve() -> None:
    colours = coverage_plot(measured()).count('fill="#0072B2"')
    assert colours == 1  # of two searches without reduction


def test_optimisations_are_looked_at_where_half_of_the_states_are_reached() -> None:
    assert levels(measured(), PREEMPTION) == ["preemption:0", "preemption:1"]


def test_the_published_times_to_bugs_are_all_there() -> None:
    assert len(published_table()) == 1 + len(PUBLISHED) == 11
    assert published_table()[-1] == ("RegOwn", "exception", "", "", "3474 s", "1586 s")


# ---- CB-POR and the orders ----


def test_published_reduction_saves_up_to_a_half_of_the_executions() -> None:
    assert all(reduced <= plain <= 2 * reduced for sizes in QUEUE.values() for plain, reduced in sizes)


def test_the_queue_has_the_published_shape() -> None:
    program, bounds = programs.work_stealing_queue(2, 2, 2), [f"preemption:{bound}" for bound in range(5)]
    plain = [run(program, "dfs", bound).executions for bound in bounds]
    complete = [run(program, "cb-por", bound).counts.complete for bound in bounds]
    assert plain == [2, 20, 168, 647, 2251] and complete == [2, 13, 32, 47, 51]


def test_the_published_reductions_are_not_the_numbers_of_traces() -> None:
    _, *rows = reduction_table()
    assert [row[1:] for row in rows] == [
        ("6", "6", "2", "6", "4"),
        ("252", "252", "2", "252", "74"),
        ("6", "6", "1", "1", "1"),
        ("90", "90", "6", "90", "36"),
    ]


def test_depth_first_order_wastes_nothing() -> None:
    head, *rows = order_table()
    assert all(row[head.index("dfs")].endswith("(0 % redundant)") for row in rows)
