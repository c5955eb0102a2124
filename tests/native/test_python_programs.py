"""bpor-native python: scripts, modules and code under control in the interpreter that was named; pytest becomes pytest --bpor."""

from __future__ import annotations

import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from bpor.api import check
from bpor.extension import run_script
from bpor.model.deadline import Deadline
from bpor.model.plan import Plan
from bpor.model.trace import Trace
from bpor.protocol import wire
from bpor.search.explorer import Explorer
from bpor.settings import Settings
from bpor.target.executor import NativeExecutor
from bpor.target_options import python_target_options
from tests.native.compiled import ROOT
from tests.native.pytest_project import TIMEOUT, environment, project
from tests.native.recording import Execution, executions

pytestmark = pytest.mark.needs("gcc", "Python.h")

SCRIPT = """\
import sys, threading
import probe

def work():
    probe.split()

if __name__ == "__main__":
    threads = [threading.Thread(target=work) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    print("total", probe.get(), sys.argv[1:])
    assert probe.get() == 2
"""


def bpor_native(directory: Path, *arguments: str, **more: str) -> tuple[int, str]:
    command = [sys.executable, "-m", "bpor", *arguments]
    run = subprocess.run(command, cwd=directory, env=environment(**more), capture_output=True, text=True, timeout=TIMEOUT)
    return run.returncode, run.stdout + run.stderr


@pytest.fixture
def scripts(tmp_path: Path) -> Path:
    (project(tmp_path) / "script.py").write_text(SCRIPT)
    return tmp_path


def test_a_script_fails_with_places_in_both_languages_and_a_line_that_repeats_it(scripts: Path) -> None:
    code, said = bpor_native(scripts, "--state=none", sys.executable, "script.py", "x", "--bound")
    assert code == 1
    assert said.startswith("assertion: `probe.get() == 2` is false at script.py:14 in <module>, thread T0 (main)")
    assert "T1 work" in said
    assert "script.py:5 → probe.c:18" in said
    assert "| total 1 ['x', '--bound']" in said
    _, _, rest = said.partition("See it again\n")
    _, *words = shlex.split(rest.splitlines()[0])
    code, repeated = bpor_native(scripts, *words)
    assert code == 1
    assert repeated.splitlines()[0] == said.splitlines()[0]


def test_the_interpreter_behind_a_shim_is_found_and_a_module_is_run_like_a_script(scripts: Path) -> None:
    shim = scripts / "shims" / "python"
    shim.parent.mkdir()
    shim.write_text(f'#!/bin/sh\nexec {sys.executable} "$@"\n')
    shim.chmod(0o755)
    words = ["--bound=preemption:0", "--quiet", "python", "-X", "utf8", "-m", "script"]
    code, said = bpor_native(scripts, *words, PATH=f"{shim.parent}:/usr/bin:/bin")
    assert code == 0, said
    assert "pass: all schedules with ≤ 0 preemptions" in said


LOOKS = """\
import os, threading, probe

def work():
    probe.safe()
    print(id([]), threading.get_native_id() - os.getpid(), len(open(__file__).read()), flush=True)

threads = [threading.Thread(target=work) for _ in range(2)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
"""


class Outputs:
    """An Observer."""

    def __init__(self) -> None:
        self.seen: list[bytes] = []

    def executed(self, explorer: Explorer, plan: Plan, trace: Trace) -> None:
        self.seen.append(trace.end.stdout)


def outputs(script: Path, gil: str, reset: str, carrier: str) -> tuple[list[Execution], list[bytes], str]:
    settings = Settings(gil=gil, reset=reset, carrier=carrier, process_state="off")  # a search by hand does not begin again for it
    seen = Outputs()
    with NativeExecutor([sys.executable, str(script)], python_target_options(settings, Deadline())) as executor:
        found = executions(executor, "preemption:1", 12, 500, seen)
        return found, seen.seen, str(executor.mode)


@pytest.mark.parametrize("gil", ["real", "off"])
def test_executions_that_are_rolled_back_are_those_of_new_processes_addresses_and_output_included(gil: str, scripts: Path) -> None:
    (scripts / "looks.py").write_text(LOOKS)
    *forked, _ = outputs(scripts / "looks.py", gil, "fork", "threads")
    *rolled_back, mode = outputs(scripts / "looks.py", gil, "auto", "auto")
    assert mode == "rollback, fibers"
    assert rolled_back == forked
    assert len(forked[0]) > 1 and all(text.count(b"\n") == 2 for text in forked[1])


def test_the_search_beside_an_interpreter_counts_what_the_one_apart_from_it_counts(scripts: Path) -> None:
    (scripts / "looks.py").write_text(LOOKS)
    argv = [sys.executable, str(scripts / "looks.py")]
    beside, apart = (check(argv, engine=engine, known_steps=False, max_executions=40) for engine in ("native", "python"))
    assert (beside.in_python, apart.in_python) == ("", "--engine=python")
    assert beside.search is not None and apart.search is not None
    assert beside.search.levels == apart.search.levels
    assert beside.verdict.kind == apart.verdict.kind


def test_an_exception_of_a_thread_that_nobody_joins_is_a_failure(scripts: Path) -> None:
    program = "import threading\nthreading.Thread(target=lambda: 1 / 0).start()"
    code, said = bpor_native(scripts, sys.executable, "-c", program)
    assert code == 1
    assert said.startswith("assertion: raised ZeroDivisionError: division by zero at <string>:2 in <lambda>, thread T1")


def test_pytest_becomes_pytest_under_control(scripts: Path) -> None:
    (scripts / "test_it.py").write_text("import probe\ndef test_it(bpor):\n    bpor.threads(probe.racy, probe.racy)\n")
    options = {"PYTEST_ADDOPTS": "-p bpor.pytest_plugin -p no:cacheprovider"}
    code, said = bpor_native(scripts, "--bound=preemption:1", sys.executable, "-m", "pytest", "test_it.py", **options)
    assert code == 1
    assert "bpor: on (gil=real, bound=preemption:1)" in said
    assert "race: `total`" in said


def test_an_option_that_pytest_cannot_take_is_refused(scripts: Path) -> None:
    code, said = bpor_native(scripts, "--signal=fifo", sys.executable, "-m", "pytest")
    assert (code, said) == (2, "bpor-native: --signal means nothing to pytest; a marker may say it: @pytest.mark.bpor(...)\n")


def test_the_lock_of_an_interpreter_means_nothing_to_another_program(scripts: Path) -> None:
    code, said = bpor_native(scripts, "--gil=off", "/bin/true")
    assert (code, said) == (2, "bpor-native: --gil=off is for Python, and /bin/true is not an interpreter of it\n")


def test_the_runner_of_scripts_knows_the_number_of_an_outcome() -> None:
    assert wire.constant("BPOR_OUTCOME_ASSERTION") == run_script.ASSERTION


def test_the_runner_of_scripts_needs_nothing_but_the_standard_library() -> None:
    code = f"import sys; sys.path.insert(0, {str(ROOT)!r}); import bpor.extension.plain_threads, bpor.extension.sentence"
    subprocess.run([sys.executable, "-I", "-S", "-c", code], check=True)
