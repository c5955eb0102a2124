"""Searches compared: rows, the table and the plots."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from bpor.errors import UsageError
from bpor.report.comparison_table import HEADINGS, cells, comparison_plot, table_lines
from bpor.report.plot import Axis, bars, lines
from bpor.search.bounds import parse_bound
from bpor.search.comparison import Request, Row, compare, split_searches
from bpor.simulate.executor import SimulatedExecutor
from bpor.simulate.programs import philosophers


@contextmanager
def program() -> Iterator[SimulatedExecutor]:
    yield SimulatedExecutor(philosophers(3))


def rows(searches: str, bound: str = "none", **limits: int) -> list[Row]:
    return list(compare(program, Request(split_searches(searches), parse_bound(bound), **limits)))


def test_every_search_has_a_row_per_level_of_the_bound_that_it_knows() -> None:
    found = rows("bpor,optimal,dfs", "preemption:0..1")
    assert [(row.search, str(row.bound)) for row in found] == [
        ("bpor", "preemption:0"), ("bpor", "preemption:1"), ("optimal", "none"), ("dfs", "preemption:0"), ("dfs", "preemption:1"),
    ]  # fmt: skip
    assert [row.executions for row in found] == [6, 27, 7, 6, 57]
    assert [row.counts.distinct_traces for row in found] == [6, 7, 7, 6, 7]
    assert all(row.finished for row in found)


def test_a_bug_is_noted_and_does_not_stop_the_search() -> None:
    (row,) = rows("dfs", "preemption:1")
    assert row.failing > 0 and row.first_failure is not None
    assert 1 <= row.first_failure < row.executions
    assert row.first_failure_seconds is not None and row.first_failure_seconds <= row.seconds


def test_a_search_that_runs_out_of_its_budget_says_so() -> None:
    (row,) = rows("dfs", "preemption:1", max_executions=10)
    assert not row.finished
    assert cells(row)[2] == ">10" and cells(row)[-1] == "not finished"


def test_the_curve_grows_to_the_final_numbers() -> None:
    (row,) = rows("dfs", "preemption:1")
    executions = [point.executions for point in row.curve]
    assert executions == sorted(executions) and executions[-1] == row.executions
    assert row.curve[-1].distinct_traces == row.counts.distinct_traces


def test_searches_are_split_at_commas_and_priorities_at_plus_signs() -> None:
    assert split_searches("bpor, best-first:method:push+pb,random") == ("bpor", "best-first:method:push,pb", "random")
    with pytest.raises(UsageError, match="no search 'pb'"):
        split_searches("best-first:method:push,pb")


def test_a_mistake_is_found_before_anything_is_run() -> None:
    with pytest.raises(UsageError, match="no priority"):
        rows("bpor,best-first:fast")


def test_the_table_has_a_line_per_row_and_its_columns_stand_under_their_headings() -> None:
    found = rows("bpor,dpor")
    table = table_lines(found)
    assert len(table) == 1 + len(found)
    assert table[0].split("  ")[0].strip() == HEADINGS[0]
    end = table[0].index("executions") + len("executions")
    assert [line[:end].split()[-1] for line in table[1:]] == [str(row.executions) for row in found]


def test_plots_are_well_formed_and_show_every_series() -> None:
    found = rows("bpor,optimal")
    curves = {row.search: [(point.executions, point.local_states) for point in row.curve] for row in found}
    for plot in (comparison_plot("a < b", found), lines("a < b", Axis("executions", log=True), Axis("states"), curves)):
        root = ElementTree.fromstring(plot)
        texts = [element.text for element in root.iter("{http://www.w3.org/2000/svg}text")]
        assert {"a < b", "bpor", "optimal"} <= set(texts)


@pytest.mark.parametrize("values", [[], [0.0], [0.0, 0.0], [5.0], [1e-6, 1e9]])
@pytest.mark.parametrize("log", [False, True])
def test_any_numbers_can_be_plotted(values: list[float], log: bool) -> None:
    ElementTree.fromstring(lines("t", Axis("x", log), Axis("y", log), {"s": [(value, value) for value in values]}))
    ElementTree.fromstring(bars("t", ["n"] * len(values), {"q": values}))


def test_a_larger_value_is_drawn_higher() -> None:
    plot = ElementTree.fromstring(lines("t", Axis("x"), Axis("y"), {"s": [(0, 1), (1, 10)]}))
    circles = [float(circle.attrib["cy"]) for circle in plot.iter("{http://www.w3.org/2000/svg}circle")]
    assert circles[1] < circles[0]
