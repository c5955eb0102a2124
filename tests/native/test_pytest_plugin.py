"""pytest --bpor, as a user sees it: findings, what of pytest works, replay lines, real threads without it."""

from __future__ import annotations

import fcntl
import os
import pickle
import re
import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.native.pytest_project import TIMEOUT, PytestRun, environment, project, run_pytest

REPLAYS = int(os.environ.get("BPOR_TEST_REPLAYS", "1"))  # make soak: 100

pytestmark = pytest.mark.needs("gcc", "Python.h")


def shared(factory: pytest.TempPathFactory, name: str, run: Callable[[Path], PytestRun]) -> tuple[Path, PytestRun]:
    """One run for all workers of this session."""
    base = factory.getbasetemp()
    root = base.parent if "PYTEST_XDIST_WORKER" in os.environ else base
    with open(root / f"{name}.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        directory, result = root / name, root / f"{name}.pickle"
        if not result.exists():
            directory.mkdir()
            result.write_bytes(pickle.dumps(run(directory)))
        loaded: PytestRun = pickle.loads(result.read_bytes())
        return directory, loaded


@pytest.fixture(scope="session")
def findings(tmp_path_factory: pytest.TempPathFactory) -> PytestRun:
    return shared(tmp_path_factory, "findings", lambda path: run_pytest(project(path, "findings"), "--bpor", "-v"))[1]


@pytest.fixture(scope="session")
def findings_project(tmp_path_factory: pytest.TempPathFactory, findings: PytestRun) -> Path:
    return shared(tmp_path_factory, "findings", lambda path: findings)[0]


@pytest.fixture(scope="session")
def passing(tmp_path_factory: pytest.TempPathFactory) -> PytestRun:
    return shared(tmp_path_factory, "passing", lambda path: run_pytest(project(path, "passing"), "--bpor", "-v"))[1]


@pytest.mark.parametrize(
    ("test", "first_line"),
    [
        ("test_assertion", r"assertion: `1 == 2` is false at test_findings\.py:15 in test_assertion, thread T0 \(main\)"),
        ("test_race", r"race: `total`: (read|write) of 8 bytes by T\d, and (read|write) by T\d, in no order; at probe\.c:36 .*"),
        ("test_deadlock_with_the_gil", r"deadlock: T1 .*probe\.c:48.* holds `GIL` and waits for `lock`; T2 .*"),
        ("test_use_after_free", r"memory: use after free: read of 4 bytes by T1, 0 bytes into a block of 4 that T2 freed; .*"),
        ("test_crash", r"crash: segmentation fault \(SIGSEGV\) on address 0x0 \(a null pointer\) at probe\.c:100 in follow.*"),
        ("test_not_linearizable", r"nonlinearizable: one returns None, two returns None, observed 1; no serial order of 2 gives that.*"),
        ("test_exception_of_a_function", r"assertion: raised ValueError: told by main at test_findings\.py:47 in fails.*"),
        ("test_exception_of_a_plain_thread", r"assertion: raised ValueError: told by the thread at test_findings\.py:55 in fails.*"),
        ("test_plain_threads", r"assertion: `1 == 2` is false at test_findings\.py:68 in test_plain_threads.*"),
        ("test_without_the_gil", r"assertion: `1 == 2` is false at test_findings\.py:105 in test_without_the_gil.*"),
        ("test_work_behind_two_threads_of_its_own", r"assertion: `1 == 2` is false at test_findings\.py:170 in test_work_behind.*"),
        ("test_a_number_beside_an_object", r"assertion: `1 == 2` is false at test_findings\.py:156 in test_a_number_beside_an_object.*"),
        ("test_checked_function[it's [1] & more]", r"assertion: `1 == 2` is false at test_findings\.py:80 in test_checked_function.*"),
    ],
)
def test_a_failing_schedule_is_a_failure_that_says_what_happened(findings: PytestRun, test: str, first_line: str) -> None:
    told = findings[test]
    assert told.outcome == "failure"
    assert re.fullmatch(first_line, told.text.splitlines()[0]), told.text
    assert told.properties["bpor_verdict"] == "bug"


def test_the_traceback_of_the_assertion_and_the_output_of_that_execution_are_in_the_report(findings: PytestRun) -> None:
    text = findings["test_assertion"].text
    assert '>       assert probe.get() == 2, "both updates count"' in text
    assert "E       AssertionError: both updates count" in text
    assert re.search(r"stdout in this execution\n +\| printed before\n", text)
    assert re.search(r"stderr in this execution\n +\| written after\n", text)
    assert "printed before" not in findings["test_race"].text


def test_a_result_that_no_serial_order_gives_is_shown_with_the_nearest(findings: PytestRun) -> None:
    nearest = "nearest serial order: one, two, which gives one returns None, two returns None, observed 2"
    assert nearest in findings["test_not_linearizable"].text


def test_a_failure_before_the_first_thread_is_like_any_other(findings: PytestRun) -> None:
    told = findings["test_fails_before_it_starts_a_thread"]
    assert (told.outcome, told.properties) == ("failure", {})
    assert "E       assert 0 == 7" in told.text


def test_a_thread_out_of_sight_is_an_error_with_what_to_do(findings: PytestRun) -> None:
    text = findings["test_out_of_sight"].text
    assert "T1 runs or blocks out of our sight at probe.c:106 in spin: no scheduling point within --bpor-watchdog 0.5s" in text
    assert text.splitlines()[0].endswith("test_findings.py::test_out_of_sight --bpor --bpor-watchdog=2s")
    assert re.search(r"ERROR test_findings.py::test_out_of_sight", findings.output)


def test_a_search_that_did_not_finish_fails_with_the_next_command(findings: PytestRun, findings_project: Path) -> None:
    text = findings["test_too_large"].text
    assert text.startswith("bpor: inconclusive: no bound was completed; stopped by --bpor-max-executions 2;")
    assert text.endswith("test_findings.py::test_too_large --bpor --bpor-max-executions=8")
    accepted = run_pytest(findings_project, "--bpor", "--bpor-inconclusive=pass", "test_findings.py::test_too_large")
    assert accepted["test_too_large"].outcome == "passed"


def test_a_misspelled_option_of_a_marker_is_named(findings: PytestRun) -> None:
    assert findings["test_misspelled"].text.startswith("bpor: pytest.mark.bpor: 'bund' is not one of bound, gil, ")


def test_what_cannot_be_explored_is_not_quietly_run_once(findings: PytestRun) -> None:
    told = findings["test_coroutine"]
    assert told.outcome == "error"
    assert told.text == "bpor: coroutines cannot be explored; write a plain test function, which may call asyncio.run()"


@pytest.mark.parametrize("test", ["test_method", "test_method_in_parts"])
def test_a_method_of_unittest_is_explored_between_its_set_up_and_its_tear_down(findings: PytestRun, test: str) -> None:
    assert findings[test].properties["bpor_finding"] == "assertion"
    assert findings[test].text.startswith("assertion: raised AssertionError: 2 != 3 at test_findings.py:"), findings[test].text


def test_what_unittest_says_of_a_method_holds(findings: PytestRun) -> None:
    names = ("test_method_that_passes", "test_method_that_skips", "test_method_that_is_known_to_fail")
    assert [findings[name].outcome for name in names] == ["passed", "skipped", "skipped"]


def test_a_test_that_is_known_to_fail_does_so(findings: PytestRun) -> None:
    assert findings["test_known_to_fail"].outcome == "skipped"


@pytest.mark.parametrize("test", ["test_checked_function[it's [1] & more]", "test_without_the_gil"])
def test_a_replay_line_works_by_copy_and_paste(findings: PytestRun, findings_project: Path, test: str) -> None:
    """With a name that needs quoting, with places that were made visible, and as often as you like."""
    told = findings[test]
    beside = {**environment(), "PYTEST_ADDOPTS": "-p bpor.pytest_plugin -p no:cacheprovider"}
    for _ in range(REPLAYS):
        again = subprocess.run(told.replay, shell=True, cwd=findings_project, env=beside, capture_output=True, text=True, timeout=TIMEOUT)
        assert again.returncode == 1, again.stdout
        assert told.text.splitlines()[0] in again.stdout
        assert f"replay: {told.replay}" in again.stdout


@pytest.mark.parametrize(
    "test",
    [
        "test_results_come_back_in_order",
        "test_safe_updates",
        "test_the_gil_protects",
        "test_safe_updates_are_linearizable",
        "test_functions_may_make_threads",
        "test_operations_may_make_threads",
        "test_a_directory_is_as_it_was_in_every_execution",
        "test_capsys_has_one_execution_only",
        "test_capfd_has_one_execution_only",
        "test_fixtures_of_every_scope",
        "test_what_a_test_changes_ends_with_it",
        "test_random_numbers_are_those_of_the_runner",
        "test_plain_threads_with_a_lock",
        "test_without_threads",
    ],
)
def test_what_pytest_offers_works_in_every_execution(passing: PytestRun, test: str) -> None:
    assert passing[test].outcome == "passed", passing[test].text


def test_what_fixtures_share_with_all_executions_is_as_they_left_it_in_each(tmp_path: Path) -> None:
    run = run_pytest(project(tmp_path, "shared"), "--bpor")
    assert {name: told.text for name, told in run.tests.items() if told.outcome != "passed"} == {}
    assert len(run.tests) == 8


def test_a_pass_says_what_it_covered_and_what_it_saw(passing: PytestRun) -> None:
    said = passing["test_safe_updates"].properties["bpor"]
    assert re.match(r"\d+ schedules; pass: all schedules with ≤ 1 preemption, each of them run; coverage memory; ", said)
    assert "; seen: probe.so" in said
    assert "; threads switch where the GIL is released and before calls of instrumented functions and of locks, not at every" in said
    assert f"test_passing.py::test_safe_updates: {said}" in passing.output


def test_a_lock_of_the_interpreter_reads_the_clock_and_does_not_yield(passing: PytestRun) -> None:
    """One schedule for each thread that may be first, and two that show that the bound excludes others."""
    assert int(passing["test_a_lock_of_the_interpreter_is_no_yield"].properties["bpor_schedules"]) <= 4


def test_a_test_may_skip_itself_before_and_after_its_threads(passing: PytestRun) -> None:
    assert [passing[test].outcome for test in ("test_skips_itself", "test_skips_itself_later")] == ["skipped", "skipped"]


def test_the_header_says_on_and_how(passing: PytestRun) -> None:
    assert "bpor: on (gil=real, bound=fair:2,preemption:2)" in passing.output


def test_without_the_option_marked_tests_run_once_on_real_threads(tmp_path: Path) -> None:
    run = run_pytest(project(tmp_path, "passing"), "-k", "come_back or with_a_lock or linearizable")
    assert "bpor: off" in run.output
    assert {told.outcome for told in run.tests.values()} == {"passed"}
    assert len(run.tests) == 3
    assert all("bpor" not in told.properties for told in run.tests.values())


def test_a_pass_of_a_test_that_starts_no_thread_is_a_warning(tmp_path: Path) -> None:
    text = "import pytest\n@pytest.mark.bpor\ndef test_marked(): pass\ndef test_given(bpor): pass\n"
    (tmp_path / "test_it.py").write_text(text + "def test_two(bpor):\n    bpor.threads(lambda: 1, lambda: 2)\n")
    run = run_pytest(tmp_path, "--bpor")
    assert [told.outcome for told in run.tests.values()] == ["passed"] * 3
    said = re.findall(r"bpor: test_it.py::(\w+): nothing to interleave: only one thread ever ran", run.output)
    assert sorted(said) == ["test_given", "test_marked"]


def test_workers_are_under_control_too(tmp_path: Path) -> None:
    selected = "test_assertion or test_race"
    run = run_pytest(project(tmp_path, "findings"), "-p", "xdist", "-n", "2", "--bpor", "-k", selected)
    found = {name: told.properties["bpor_finding"] for name, told in run.tests.items()}
    assert found == {"test_assertion": "assertion", "test_race": "race"}
    assert " -m pytest test_findings.py::test_race " in run["test_race"].replay


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        (["--bpor", "--bpor-gil=of"], "--bpor-gil: 'of' is not one of real, off, none"),
        (["--bpor-replay=1@gill=off"], "bad replay value: 'gill' is not one of "),
    ],
    ids=lambda value: value if isinstance(value, str) else value[-1],
)
def test_a_bad_option_is_an_error_of_usage_in_one_line(tmp_path: Path, options: list[str], complaint: str) -> None:
    run = run_pytest(tmp_path, *options)
    assert run.exit_code == pytest.ExitCode.USAGE_ERROR
    assert f"ERROR: --bpor: {complaint}" in run.output


def test_pytest_called_by_a_program_says_how_to_start_that(tmp_path: Path) -> None:
    code = "import pytest; pytest.main(['-p', 'bpor.pytest_plugin', '--bpor'])"
    said = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, env=environment(), capture_output=True, text=True, timeout=TIMEOUT)
    assert "pytest was called by a program, which cannot be started again" in said.stdout + said.stderr


def test_a_preload_library_of_the_users_own_is_kept(tmp_path: Path) -> None:
    (tmp_path / "test_it.py").write_text("import os\ndef test_it():\n    assert os.environ['LD_PRELOAD'].endswith(':libm.so.6')\n")
    assert run_pytest(tmp_path, "--bpor", LD_PRELOAD="libm.so.6")["test_it"].outcome == "passed"


def test_replay_commands_are_lines_of_a_shell(findings: PytestRun) -> None:
    words = shlex.split(findings["test_checked_function[it's [1] & more]"].replay)
    assert words[-2] == "test_findings.py::test_checked_function[it's [1] & more]"
    assert words[-1].startswith("--bpor-replay=")
