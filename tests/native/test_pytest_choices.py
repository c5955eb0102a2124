"""bpor.choose(n) and bpor.assume(c) in tests of a Python extension."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from tests.native.pytest_project import PytestRun, project, run_pytest

pytestmark = pytest.mark.needs("gcc", "Python.h")


@pytest.fixture(scope="module")
def directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return project(tmp_path_factory.mktemp("choices"), "choices")


@pytest.fixture(scope="module")
def explored(directory: Path) -> PytestRun:
    return run_pytest(directory, "--bpor", "-q")


@pytest.mark.parametrize(("test", "told"), [("test_an_input_before_the_threads", "is 2"), ("test_many_inputs", "is 64")])
def test_every_input_is_tried_and_the_wrong_one_is_told(explored: PytestRun, test: str, told: str) -> None:
    assert explored[test].properties.get("bpor_finding") == "assertion", explored[test].text
    assert told in explored[test].text


def test_the_wrong_input_is_replayed(explored: PytestRun, directory: Path) -> None:
    test = "test_many_inputs"
    value = next(word for word in shlex.split(explored[test].replay) if word.startswith("--bpor-replay="))
    assert run_pytest(directory, "-q", "-k", test, value)[test].properties.get("bpor_finding") == "assertion"


@pytest.mark.parametrize(("test", "words"), [("test_an_input_in_a_thread", "every value"), ("test_assumed", "8 executions assumed away")])
def test_inputs_in_threads_and_assumptions(explored: PytestRun, test: str, words: str) -> None:
    assert explored[test].outcome == "passed", explored[test].text
    assert words in explored[test].properties["bpor"]


def test_a_test_in_which_everything_is_assumed_away_is_no_pass(explored: PytestRun) -> None:
    assert explored["test_all_assumed_away"].properties["bpor_verdict"] == "inconclusive"


def test_without_the_tool_an_assumption_that_does_not_hold_skips_the_test(directory: Path) -> None:
    plain = run_pytest(directory, "-q")
    assert {name: told.outcome for name, told in plain.tests.items() if told.outcome != "passed"} == {"test_all_assumed_away": "skipped"}
