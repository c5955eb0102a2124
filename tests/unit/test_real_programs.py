"""benchmarks/real: what a bound is called, and which rows contradict each other."""

from __future__ import annotations

import tomllib

import pytest

from benchmarks.real.checks import contradictions
from benchmarks.real.known_bugs import HERE, Bug, Library
from benchmarks.real.row import Row, Searched, row_of
from benchmarks.real.subjects import Subject

KNOWN = tomllib.loads((HERE / "known.toml").read_text())
SUBJECT = Subject("one", "queue", "one.c")


def row(how: str, verdict: str, **more: object) -> Row:
    return Row("one", how, "", verdict, **more)  # type: ignore[arg-type]


def said(judged: str, *rows: Row) -> list[str]:
    subject = Subject("one", "queue", "one.c", judged=judged)
    return list(contradictions([subject], {(each.name, each.how): each for each in rows}))


def test_a_pass_that_a_random_search_refutes_is_told() -> None:
    assert said("", row("plain", "pass", found=["random: crash"])) == ["one, plain: passes, and a random search finds random: crash"]


def test_builds_that_disagree_are_told_until_somebody_has_judged_them() -> None:
    rows = row("plain", "pass"), row("instrumented", "bug")
    assert len(said("", *rows)) == 1 and said("meant", *rows) == []


def test_a_false_alarm_and_an_error_of_ours_are_told() -> None:
    assert said("false", row("plain", "bug")) == ["one, plain: a false alarm"]
    assert said("", row("plain", "no report"))


@pytest.mark.parametrize(
    ("bounds", "words"),
    [
        ([], "none"),
        (["preemption:0", "preemption:1"], "≤ 1 preemptions"),
        (["fair:2,preemption:1"], "≤ 1 preemptions (fair:2)"),
        (["preemption:2,stale:2"], "≤ 2 preemptions (stale:2)"),
        (["fair:2,preemption:3", "fair:2", "fair:4,preemption:1"], "all schedules (fair:2)"),
    ],
)
def test_the_strongest_statement_of_a_search_that_was_cut_is_that_of_its_strongest_bound(bounds: list[str], words: str) -> None:
    numbers = {"executions": 1, "threads": 1, "steps": 1, "coverage": "memory", "statement": ""}
    report = {"verdict": "inconclusive", "completed_bounds": bounds, **numbers}
    assert row_of(SUBJECT, "plain", "", 1, Searched(report, "", 0.0)).reached == words


@pytest.mark.parametrize("entry", KNOWN["bug"], ids=lambda entry: entry["name"])
def test_a_known_bug_has_its_test_and_its_library(entry: dict[str, str]) -> None:
    bug = Bug(**entry)
    assert (HERE / "known" / bug.test).is_file()
    assert Library(**KNOWN["library"].get(bug.library, {})) if bug.library else bug.flags
