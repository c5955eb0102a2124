"""With the GIL a thread can be left between two bytecodes: before calls of an extension, and before those of Python's own locks."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.native.pytest_project import PytestRun, project, run_pytest

pytestmark = pytest.mark.needs("gcc", "Python.h")


@pytest.fixture(scope="module")
def explored(tmp_path_factory: pytest.TempPathFactory) -> PytestRun:
    return run_pytest(project(tmp_path_factory.mktemp("switches"), "switches"), "--bpor", "-q")


@pytest.mark.parametrize("kind", ["lock", "rlock"])
def test_two_locks_of_python_in_both_orders_are_a_deadlock(explored: PytestRun, kind: str) -> None:
    told = explored[f"test_both_orders[{kind}]"]
    assert told.properties["bpor_finding"] == "deadlock", told.text
    assert "with outer, inner:" in told.text


@pytest.mark.parametrize("test", ["test_read_then_written", "test_functions_that_were_made_by_the_test"])
def test_a_value_that_an_extension_reads_in_one_call_and_writes_in_another_is_lost(explored: PytestRun, test: str) -> None:
    """Also by functions that are in no table of the extension, as nanobind's are not: that passed."""
    assert explored[test].properties.get("bpor_finding") == "assertion"


@pytest.mark.parametrize("test", ["test_one_order", "test_read_then_written_under_a_lock"])
def test_what_locks_guard_passes(explored: PytestRun, test: str) -> None:
    assert explored[test].outcome == "passed", explored[test].text


def test_a_call_by_itself_costs_no_switch(explored: PytestRun) -> None:
    """Two threads that take the GIL, call once and drop it: as many schedules as before there were switches."""
    assert explored["test_one_call"].properties["bpor_schedules"] == "6"


@pytest.mark.parametrize("how", ["list", "tuple", "set", "unpack", "sum"])
def test_nobody_comes_in_between_the_calls_of_one_bytecode(explored: PytestRun, how: str) -> None:
    """list(x) asks an iterator for all that it has; a thread that was left in the midst of that was a bug that CPython does not have."""
    told = explored[f"test_all_at_once[{how}]"]
    assert told.outcome == "passed", told.text


@pytest.mark.parametrize("how", ["one_after_the_other", "by_next"])
def test_somebody_comes_in_between_two_bytecodes(explored: PytestRun, how: str) -> None:
    told = explored[f"test_one_by_one[{how}]"]
    assert told.properties.get("bpor_finding") == "assertion", told.text


CALLED_BACK = [
    "test_called_back",
    "test_called_back_in_threads_of_the_extension",
    "test_called_by_the_extension_after_python",
    "test_held_across_a_call[python]",
]


@pytest.mark.parametrize("test", CALLED_BACK)
def test_somebody_comes_in_where_an_extension_calls_pythons_code(explored: PytestRun, test: str) -> None:
    """Its bytecodes were taken for the extension's own doing, and lost updates passed."""
    assert explored[test].properties.get("bpor_finding") == "assertion", explored[test].text


@pytest.mark.parametrize("test", ["test_called_by_the_extension_itself", "test_held_across_a_call[builtin]"])
def test_nobody_comes_in_between_two_calls_of_an_extension(explored: PytestRun, test: str) -> None:
    assert explored[test].outcome == "passed", explored[test].text


def test_an_extension_that_the_test_imports_is_watched_or_the_test_is_refused(tmp_path: Path) -> None:
    """It was not watched, and its lost update passed."""
    run = run_pytest(project(tmp_path, "late"), "--bpor=auto", "-q", "--bpor-bound=preemption:1")
    assert run["test_before_its_threads"].properties.get("bpor_finding") == "assertion", run.output
    assert "probe.so was imported in the midst of an execution, too late to be watched" in run["test_in_its_threads"].text


def test_the_verdict_says_where_a_switch_was_tried_and_what_is_out_of_reach(explored: PytestRun) -> None:
    said = explored["test_an_attribute_of_python"].properties["bpor"]
    tried = "threads switch where the GIL is released and before calls of instrumented functions and of locks, not at every bytecode"
    assert f"{tried}: updates of plain Python objects are out of reach" in said
