"""The page that `make paper` writes: its tables are measured, its claims decided by the run."""

from __future__ import annotations

from benchmarks.paper.claims import _verdict
from benchmarks.paper.document import markdown
from benchmarks.paper.simulated import PUBLISHED, cartesian_table, order_table, queue_table


def test_a_cell_may_hold_a_bar() -> None:
    assert markdown([("program", "n"), ("Wx | Rx", "2")]).splitlines()[-1] == "| Wx \\| Rx | 2 |"


def test_a_claim_that_a_run_contradicts_does_not_hold_and_one_it_cannot_decide_says_so() -> None:
    assert _verdict([], 3).startswith("holds")
    assert _verdict(["fft at preemption:1"], 3) == "does not hold: fft at preemption:1"
    assert _verdict([], 0).startswith("not decided")


def test_the_queue_has_the_published_shape() -> None:
    _, *rows = queue_table(20)
    plain, complete = [int(row[1]) for row in rows], [int(row[2]) for row in rows]
    assert plain == [2, 20, 168, 647, 2251] and complete == [2, 13, 32, 47, 51]


def test_the_cartesian_table_has_a_row_per_published_one() -> None:
    _, *rows = cartesian_table(500)
    assert [row[0] for row in rows] == list(PUBLISHED)
    assert {row[0]: row[2] for row in rows}["indexer 11"] == PUBLISHED["indexer 11"]
    assert rows[0][1].startswith(">")


def test_depth_first_order_wastes_nothing() -> None:
    head, *rows = order_table(20)
    assert all(row[head.index("dfs")].endswith("(0 % redundant)") for row in rows)
