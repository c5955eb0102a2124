"""How a suite's time is spread, by a clock that the test turns."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from bpor.report.checked import Checked
from bpor.report.result import Result
from bpor.report.verdict import Verdict, VerdictKind
from bpor.settings import Settings
from bpor.suite.case import Case
from bpor.suite.scheduler import SPENT, Scheduler, share_of


def act(case: Case) -> Checked:
    """Tells the share that it was given."""
    return Checked(case.name, Result(case.argv, case.settings, Verdict(VerdictKind.INCONCLUSIVE, str(case.settings.max_time))), case.expect)


def run(takes: Iterator[float], jobs: int, budget: float, own: float | None = None) -> dict[str, str]:
    """What each of six tests was told; `takes`: seconds that go by until each result."""
    elapsed = [0.0]
    cases = [Case(name, ("./program",), Settings(max_time=own)) for name in "abcdef"]
    told = {}
    for checked in Scheduler(Path.cwd(), act, jobs, budget, lambda: sum(elapsed)).run(cases):
        told[checked.name] = checked.result.verdict.reason
        elapsed.append(next(takes, 0.0))
    return told


def test_tests_that_use_their_shares_all_have_the_same() -> None:
    assert run(iter([5.0] * 6), jobs=1, budget=30) == dict.fromkeys("abcdef", "5.0")


def test_two_at_a_time_have_twice_as_much() -> None:
    """Six tests in 30 seconds; after each pair ten are gone."""
    assert {share_of(left, cases, 2) for left, cases in ((30, 6), (30, 5), (20, 4), (20, 3), (10, 2), (10, 1))} == {10}


def test_what_a_test_does_not_use_the_next_ones_get() -> None:
    assert list(run(iter([0.0, 6.0, 6.0, 6.0, 6.0, 6.0]), jobs=1, budget=30).values()) == ["5.0", "6.0", "6.0", "6.0", "6.0", "6.0"]


def test_a_tests_own_limit_holds_if_it_is_smaller() -> None:
    assert set(run(iter([]), jobs=1, budget=30, own=2.0).values()) == {"2.0"}


def test_when_the_time_is_spent_nothing_more_is_started() -> None:
    assert list(run(iter([30.0]), jobs=1, budget=30).values()) == ["5.0", *[SPENT] * 5]
