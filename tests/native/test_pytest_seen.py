"""pytest --bpor is not green for lack of sight: what was not instrumented, not run, not explored is said, and can be demanded."""

from __future__ import annotations

import re
import sysconfig
from pathlib import Path

import pytest

from bpor.target.python_modules import look_at_modules
from tests.native.compiled import compiled
from tests.native.pytest_project import CASES, PytestRun, project, run_pytest

pytestmark = pytest.mark.needs("gcc", "Python.h")


def a_project(directory: Path) -> Path:
    module = compiled(CASES / "plain.c", ["-shared", "-fPIC", f"-I{sysconfig.get_path('include')}"])
    (directory / "plain.so").symlink_to(module)
    return project(directory, "seen")


@pytest.fixture(scope="module")
def marked(tmp_path_factory: pytest.TempPathFactory) -> PytestRun:
    return run_pytest(a_project(tmp_path_factory.mktemp("marked")), "--bpor", "-q")


def test_without_the_gil_a_module_under_test_that_is_not_instrumented_is_an_error(marked: PytestRun) -> None:
    text = marked["test_a_module_that_is_not_instrumented"].text
    assert re.search(r"plain\S*: not instrumented, so its accesses of memory are not seen, below --bpor-require memory", text), text
    assert "or say --bpor-require calls" in text
    assert "ERROR test_seen.py::test_a_module_that_is_not_instrumented" in marked.output


def test_a_search_in_which_no_instrumented_code_ran_is_no_pass_without_the_gil(marked: PytestRun) -> None:
    told = marked["test_nothing_that_runs_is_instrumented"]
    assert told.properties["bpor_verdict"] == "inconclusive"
    assert "inconclusive: no instrumented code ran in the explored part" in told.text


def test_a_module_that_is_not_instrumented_can_be_accepted_and_is_named(marked: PytestRun) -> None:
    told = marked["test_some_of_it_is_instrumented"]
    assert told.properties["bpor_verdict"] == "pass", told.text
    assert re.search(r"; seen: probe.so; not seen: plain\S*;", told.properties["bpor"])


def test_all_schedules_is_not_said_where_the_interpreter_is_called_by_a_pointer(marked: PytestRun) -> None:
    said = marked["test_calls_by_a_pointer"].properties["bpor"]
    assert "; pass: all schedules of what was seen" in said
    assert "nothing shared by functions of the interpreter that are called by a pointer" in said
    assert "pointer" not in marked["test_some_of_it_is_instrumented"].properties["bpor"]


def test_all_schedules_is_never_said_where_no_instrumented_code_ran(marked: PytestRun) -> None:
    said = marked["test_locks_alone"].properties["bpor"]
    assert "; pass of the library calls only: no instrumented code ran in the explored part; all orders of these calls with ≤ 1" in said
    assert "all schedules" not in said


def test_more_patience_is_not_advised_where_a_call_is_refused(marked: PytestRun) -> None:
    text = marked["test_refused"].text
    assert "uncontrolled: epoll_create: made before the first thread" in text
    assert "--bpor-watchdog" not in text


def test_the_summary_counts_what_was_not_explored(marked: PytestRun) -> None:
    """Those that are known to fail were explored like others, or were not under control; they were counted as skipped."""
    counted = (
        r"^bpor: explored 5 of 12 tests, [\d,]+ schedules; "
        r"not explored: 3 \(not under control\), 2 \(not marked\), 1 \(started no thread\), 1 \(skipped\)$"
    )
    assert re.search(counted, marked.output, re.MULTILINE), marked.output


def test_a_suite_without_marks_is_said_not_to_be_explored(tmp_path: Path) -> None:
    run = run_pytest(a_project(tmp_path), "--bpor", "-q", "-k", "method or without_a_mark")
    told = "bpor: explored none of 2 tests; not explored: 2 (not marked); --bpor=auto explores those that start threads"
    assert told in run.output.splitlines()


def test_auto_explores_the_tests_that_start_threads_with_workers_too(tmp_path: Path) -> None:
    run = run_pytest(a_project(tmp_path), "--bpor=auto", "-q", "-p", "xdist", "-n", "2", "-k", "method or without_a_mark")
    assert run["test_threads_without_a_mark"].properties["bpor_finding"] == "assertion"
    assert re.search(r"^bpor: explored 1 of 2 tests, \d+ schedules; not explored: 1 \(started no thread\)$", run.output, re.MULTILINE)
    assert "NothingToInterleave" not in run.output


def test_a_module_called_speedups_is_the_users_unless_it_is_that_of_a_library_of_ours(tmp_path: Path) -> None:
    module = compiled(CASES / "plain.c", ["-shared", "-fPIC", f"-I{sysconfig.get_path('include')}"])
    users, ours = tmp_path / "mine" / "_speedups.so", tmp_path / "markupsafe" / "_speedups.so"
    for path in (users, ours):
        path.parent.mkdir()
        path.write_bytes(module.read_bytes())
    assert [other.elf.path for other in look_at_modules([str(users), str(ours)]).others] == [str(users)]


def test_libraries_of_the_system_that_a_module_asks_for_are_not_dropped(tmp_path: Path) -> None:
    module = compiled(CASES / "plain.c", ["-shared", "-fPIC", f"-I{sysconfig.get_path('include')}", "-Wl,--no-as-needed", "-l:libz.so.1"])
    library = next(Path(place) / "libz.so.1" for place in ("/lib/x86_64-linux-gnu", "/usr/lib64") if (Path(place) / "libz.so.1").exists())
    assert look_at_modules([str(module), str(library)]).silent == (module.name, "libz.so.1")
