"""Budget that is left over goes to the tests that were cut, in rounds; by a clock that the test turns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import cast

import pytest

from bpor.report.checked import Checked
from bpor.report.result import Result
from bpor.report.verdict import Verdict, VerdictKind
from bpor.search.budget import SearchStop
from bpor.settings import Settings
from bpor.suite.case import Case
from bpor.suite.rounds import run_in_rounds
from bpor.suite.scheduler import Scheduler, share_of
from tests.unit.gate_examples import searched


class Turned:
    """A scheduler of one job whose tests take what they need, or what they are given if that is less."""

    jobs = 1

    def __init__(self, budget: float, needs: dict[str, float], resumes: bool = True) -> None:
        self.left, self._needs, self._resumes = budget, dict(needs), resumes
        self.log: list[tuple[str, float, bool]] = []

    def run(self, cases: Sequence[Case]) -> list[Checked]:
        return [self._one(case, len(cases) - number) for number, case in enumerate(cases)]

    def _one(self, case: Case, waiting: int) -> Checked:
        share = share_of(self.left, waiting, 1)
        given = share if case.settings.max_time is None else min(share, case.settings.max_time)
        used = min(self._needs[case.name], given)
        self.left -= used
        done = used == self._needs[case.name]
        if self._resumes:
            self._needs[case.name] -= used
        self.log.append((case.name, round(given, 3), case.settings.resume))
        search = searched().search
        assert search is not None
        verdict = Verdict(VerdictKind.PASS if done else VerdictKind.INCONCLUSIVE, "")
        stop = SearchStop.EXHAUSTED if done else SearchStop.MAX_TIME
        return Checked(case.name, Result(case.argv, replace(case.settings, max_time=given), verdict, search=replace(search, stop=stop)))


def run(scheduler: Turned, kept: bool = True, own: float | None = None) -> dict[str, str]:
    cases = [Case(name, ("./program",), Settings(max_time=own)) for name in "abc"]
    found = run_in_rounds(cast(Scheduler, scheduler), cases, kept)
    return {case.name: tested.result.verdict.kind.value for case, tested in found}


def test_what_quick_tests_leave_goes_to_those_that_were_cut() -> None:
    scheduler = Turned(30, {"a": 1, "b": 14, "c": 12})
    assert run(scheduler) == dict.fromkeys("abc", "pass")
    assert scheduler.log == [("a", 10.0, False), ("b", 14.5, False), ("c", 15.0, False)]


def test_rounds_go_on_until_the_budget_is_used_and_keep_the_work() -> None:
    scheduler = Turned(30, {"a": 14, "b": 1, "c": 11})
    assert run(scheduler) == dict.fromkeys("abc", "pass")
    assert scheduler.log == [("a", 10.0, False), ("b", 10.0, False), ("c", 19.0, False), ("a", 8.0, True)]
    hopeless = Turned(30, {"a": 1000, "b": 1, "c": 1})
    assert run(hopeless) == {"a": "inconclusive", "b": "pass", "c": "pass"}
    assert hopeless.left == pytest.approx(0) and [name for name, _, _ in hopeless.log] == ["a", "b", "c", "a"]


def test_a_tests_own_limit_is_no_reason_for_another_round() -> None:
    scheduler = Turned(300, {"a": 1000, "b": 1, "c": 1})
    assert run(scheduler, own=20.0)["a"] == "inconclusive"
    assert [name for name, _, _ in scheduler.log] == ["a", "b", "c"]


def test_a_search_that_begins_anew_is_run_again_only_if_it_gets_longer() -> None:
    assert [name for name, _, _ in _log(Turned(30, {"a": 1000, "b": 9, "c": 9}, resumes=False))] == ["a", "b", "c"]
    longer = _log(Turned(30, {"a": 1000, "b": 1, "c": 1}, resumes=False))
    assert longer[-1] == ("a", 18.0, False)


def _log(scheduler: Turned) -> list[tuple[str, float, bool]]:
    run(scheduler, kept=False)
    return scheduler.log
