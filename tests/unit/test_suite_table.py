"""The table of a suite: a search that did not finish is neither passed nor failed in its words, and what all of them saw is told once."""

from __future__ import annotations

from bpor.report.checked import Checked
from bpor.suite.table import progress_line, summary_table
from tests.unit.gate_examples import bug, passed, searched

THREE = "lock; unlock; lock; unlock | lock; unlock; lock; unlock | lock; unlock"


def unfinished(name: str) -> Checked:
    return Checked(name, searched(THREE, bound="preemption:2", max_executions=1))


def test_an_unfinished_search_is_called_inconclusive_and_counted_as_such() -> None:
    table = summary_table([passed(), bug(), unfinished("long"), unfinished("longer")], 3.0)
    assert table.splitlines()[-1] == "suite: 4 tests: 1 passed, 1 failed, 2 inconclusive, 0 errors, 0 skipped; 3.0 s"
    assert "\ninconclusive: long: " in table and "failed: long" not in table and "inconclusive: long: inconclusive" not in table
    assert progress_line(unfinished("long")).startswith("inconclusive ")


def test_without_one_the_sums_do_not_speak_of_it() -> None:
    assert summary_table([bug()], 1.0).splitlines()[-1] == "suite: 1 test: 0 passed, 1 failed, 0 errors, 0 skipped; 1.0 s"


def test_what_unfinished_searches_looked_at_is_told_once() -> None:
    lines = summary_table([unfinished(f"t{number}") for number in range(5)], 1.0).splitlines()
    (told,) = [line for line in lines if "coverage" in line]
    assert told.startswith("coverage: t0, t1, t2 and 2 more: calls")
    assert all("; next: bpor-native " in line for line in lines if line.startswith("inconclusive: "))


def test_an_expected_bug_that_was_not_found_in_time_is_a_failure() -> None:
    table = summary_table([Checked("seeded", unfinished("seeded").result, expected="deadlock")], 1.0)
    assert "failed: seeded: expected deadlock; inconclusive: " in table and "coverage" in table
