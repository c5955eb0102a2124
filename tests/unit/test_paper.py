"""The page that `make paper` writes: its tables are measured, its claims decided by the run."""

from __future__ import annotations

from benchmarks.paper.claims import is_sooner, verdict
from benchmarks.paper.document import markdown
from benchmarks.paper.simulated import NOT_AT_HAND, TABLE_1, Line, cartesian_table, order_table, queue_table, reduce_all
from bpor.search.bounds.bound import NONE
from bpor.search.comparison import Row
from bpor.search.tally import Counts


def test_a_cell_may_hold_a_bar() -> None:
    assert markdown([("program", "n"), ("Wx | Rx", "2")]).splitlines()[-1] == "| Wx \\| Rx | 2 |"


def test_a_claim_that_a_run_contradicts_names_where_and_one_it_cannot_decide_says_so() -> None:
    assert verdict([], 3) == "holds in 3 of 3 comparisons"
    assert verdict(["fft at preemption:1"], 3) == "holds in 2 of 3 comparisons; not in: fft at preemption:1"
    assert verdict([], 0).startswith("not decided")


def row(executions: int, first_failure: int | None) -> Row:
    return Row("dfs", NONE, Counts(), executions, 1.0, False, 0, first_failure, None)


def test_a_search_that_was_stopped_before_the_other_one_met_the_bug_tells_nothing() -> None:
    assert is_sooner(row(10, 5), row(10, 6)) is True
    assert is_sooner(row(10, 7), row(10, 6)) is False
    assert is_sooner(row(10, 5), row(9, None)) is True
    assert is_sooner(row(10, 5), row(4, None)) is None
    assert is_sooner(row(9, None), row(10, 5)) is False
    assert is_sooner(row(4, None), row(10, 5)) is None


def test_the_queue_has_the_published_shape() -> None:
    _, *rows = queue_table(20)
    plain, complete = [int(row[1]) for row in rows], [int(row[2]) for row in rows]
    assert plain == [2, 20, 168, 647, 2251] and complete == [2, 13, 32, 47, 51]


def lines(*names: str) -> list[Line]:
    return [line for line in TABLE_1 if line.program.name in names]


def test_the_standard_column_is_exact_or_says_that_it_is_not() -> None:
    reduced = reduce_all(600, lines("robots 2", "indexer 11", "philosophers 3"))
    _, robots, indexer, philosophers = cartesian_table(reduced, 600)
    assert robots[1] == "495 / 990" and robots[3] == NOT_AT_HAND
    assert indexer[1] == ">600" and indexer[2] == indexer[3]
    assert philosophers[1] == "87 / 153"


def test_every_form_of_cartesian_search_takes_fewer_states_than_none() -> None:
    for each in reduce_all(5_000, lines("shared array", "robots 2", "philosophers 4")):
        assert each.standard is not None
        assert all(size[0] < each.standard[0] for size in (each.cartesian, each.with_deadlocks, each.together))


def test_depth_first_order_wastes_nothing() -> None:
    head, *rows = order_table(20)
    assert all(row[head.index("dfs")].endswith("(0 % redundant)") for row in rows)
