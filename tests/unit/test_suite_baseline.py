"""The baseline: more is welcome, less is a failure with its reason; and how a suite's exit code is made."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from bpor.errors import UsageError
from bpor.report.checked import Checked, gravest
from bpor.report.verdict import VerdictKind
from bpor.suite.baseline import Reached, compare, gone, reached_by, read_baseline, write_baseline
from bpor.suite.scheduler import share_of
from tests.unit.gate_examples import bug, ended, passed, searched

THREE = "lock; unlock; lock; unlock | lock; unlock; lock; unlock | lock; unlock"


def reaching(bound: str) -> Checked:
    return Checked("t", searched(THREE, bound=bound))


def lost(now: str, before: Reached) -> tuple[str, ...]:
    return compare([reaching(now)], {"t": before})[0].lost


def test_what_a_search_reached_is_its_strongest_complete_bound() -> None:
    assert reached_by(reaching("preemption:1").result) == Reached("preemption:1", "calls")
    assert reached_by(reaching("none").result) == Reached("all", "calls")
    assert reached_by(searched(THREE, bound="preemption:2", max_executions=1)) == Reached("", "calls")


@pytest.mark.parametrize(
    ("now", "before", "worse"),
    [
        ("preemption:1", "preemption:2", True),
        ("preemption:1", "preemption:1", False),
        ("preemption:2", "preemption:1", False),
        ("preemption:1", "all", True),
        ("none", "all", False),
        ("none", "preemption:7", False),
        ("preemption:1", "", False),
        ("preemption:1", "fair:2,preemption:1", False),
    ],
)
def test_a_test_may_reach_more_and_never_less(now: str, before: str, worse: bool) -> None:
    assert bool(lost(now, Reached(before, "calls"))) is worse


def test_a_lost_coverage_is_named() -> None:
    assert lost("none", Reached("all", "memory")) == ("coverage memory then, calls now",)


def test_less_than_the_baseline_fails_a_test_that_would_pass() -> None:
    worse = compare([reaching("preemption:1")], {"t": Reached("preemption:2", "calls")})[0]
    assert worse.exit_code == 3
    assert "less than the baseline: all schedules within preemption:2 then, all schedules within preemption:1 now" in worse.summary


def test_a_test_that_the_baseline_does_not_know_is_no_loss_and_one_that_is_gone_is() -> None:
    assert compare([reaching("preemption:1")], {})[0].lost == ()
    assert gone(["a"], {"a": Reached("all", "calls"), "b": Reached("", "calls")}) == ["b"]


def test_a_baseline_is_read_as_it_was_written(tmp_path: Path) -> None:
    path = str(tmp_path / "b.json")
    write_baseline(path, [passed("ünï\udcff"), reaching("preemption:1")])
    assert read_baseline(path)["t"] == Reached("preemption:1", "calls")
    assert len(read_baseline(path)) == 2


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        "{}",
        '{"bpor-native baseline": 2, "tests": {}}',
        '{"bpor-native baseline": 1}',
        '{"bpor-native baseline": 1, "tests": {"a": 3}}',
        '{"bpor-native baseline": 1, "tests": {"a": {"complete": "preemption:x", "coverage": "calls"}}}',
        '{"bpor-native baseline": 1, "tests": {"a": {"complete": "", "coverage": "everything"}}}',
    ],
)
def test_a_damaged_baseline_is_an_error_in_one_line(tmp_path: Path, text: str) -> None:
    (tmp_path / "b.json").write_text(text)
    with pytest.raises(UsageError) as error:
        read_baseline(str(tmp_path / "b.json"))
    assert "\n" not in str(error.value)
    assert "b.json" in str(error.value)


def test_a_baseline_that_cannot_be_written_leaves_the_old_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "b.json"
    write_baseline(str(path), [passed()])
    before = path.read_bytes()

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", full)
    with pytest.raises(UsageError, match="No space left on device; what was there before is unchanged"):
        write_baseline(str(path), [passed(), reaching("preemption:1")])
    assert path.read_bytes() == before
    assert json.loads(before)["bpor-native baseline"] == 1


@pytest.mark.parametrize(
    ("tested", "code"),
    [
        (passed(), 0),
        (bug(), 1),
        (bug(expected="deadlock"), 0),
        (passed(expected="bug"), 1),
        (ended(VerdictKind.INCONCLUSIVE), 3),
        (ended(VerdictKind.INCONCLUSIVE, inconclusive="pass"), 0),
        (ended(VerdictKind.UNCONTROLLED), 4),
        (ended(VerdictKind.UNCONTROLLED, uncontrolled="skip"), 0),
        (ended(VerdictKind.UNCONTROLLED, expected="uncontrolled"), 0),
        (ended(VerdictKind.INTERNAL), 99),
        (bug(expected="crash"), 1),
    ],
)
def test_a_test_has_the_exit_code_of_what_was_not_expected(tested: Checked, code: int) -> None:
    assert tested.exit_code == code


def test_one_thread_alone_is_a_warning() -> None:
    alone = searched()
    assert alone.search is not None
    quiet = replace(passed().result, search=replace(alone.search, counts=replace(alone.search.counts, threads=1)))
    assert Checked("t", quiet).warnings == ("nothing to interleave: only one thread ever ran",)
    assert passed().warnings == ()


@pytest.mark.parametrize(("codes", "code"), [([], 0), ([0, 3], 3), ([3, 4, 0], 4), ([4, 1, 3], 1), ([1, 99], 99), ([2, 3], 2), ([5, 4], 5)])
def test_the_gravest_code_is_the_suites(codes: list[int], code: int) -> None:
    assert gravest(codes) == code


@pytest.mark.parametrize(
    ("left", "cases", "jobs", "share"), [(60, 6, 1, 10), (60, 6, 2, 20), (60, 5, 2, 20), (60, 1, 4, 60), (10, 3, 2, 5)]
)
def test_the_time_left_is_shared_by_the_cases_to_come(left: float, cases: int, jobs: int, share: float) -> None:
    assert share_of(left, cases, jobs) == share
