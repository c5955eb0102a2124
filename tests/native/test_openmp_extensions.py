"""OpenMP in extensions: threads of libgomp are under control by its machine code, and its own synchronisation is no race."""

from __future__ import annotations

import re
import sys
import sysconfig
from pathlib import Path

import pytest

from bpor.target.environment import is_openmp
from tests.native.compiled import ROOT, compiled
from tests.native.pytest_project import CASES, PytestRun, run_pytest
from tests.native.tool import run_tool

pytestmark = [pytest.mark.needs("gcc", "Python.h")]
SCRIPT = "from parallel import add_racing\nassert add_racing() == 2\n"


@pytest.fixture(scope="module")
def directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("parallel")
    words = ["-shared", "-fPIC", "-fopenmp", f"-I{sysconfig.get_path('include')}"]
    (directory / "parallel.so").symlink_to(compiled(CASES / "parallel.c", words, instrumented=True))
    for name in ("parallel", "parallel_late"):
        (directory / f"test_{name}.py").write_text((CASES / f"{name}.py").read_text())
    return directory


@pytest.fixture(scope="module")
def explored(directory: Path) -> PytestRun:
    return run_pytest(directory, "--bpor", "-q", "test_parallel.py")


def test_threads_of_openmp_race_and_their_barriers_do_not(explored: PytestRun) -> None:
    """Each was a thread out of sight, with the advice to wait longer."""
    found = {name: told.properties.get("bpor_finding", told.outcome) for name, told in explored.tests.items()}
    assert found == {
        "test_racing": "race",
        **dict.fromkeys((f"test_racing_without_a_gil[add_{where}]" for where in ("racing", "on_the_stack")), "assertion"),
        "test_reduced": "passed",
    }


def test_what_is_said_names_the_library_and_how_it_was_seen(explored: PytestRun) -> None:
    said = explored["test_reduced"].properties["bpor"]
    assert "all schedules" in said and "coverage machine" in said and "libgomp.so.1" in said
    assert "not seen" not in said and "GOMP_parallel" not in said


def test_where_it_was_not_patched_the_message_is_about_openmp(directory: Path) -> None:
    said = run_pytest(directory, "--bpor", "-q", "test_parallel_late.py")["test_imported_late"].text
    assert "threads of OpenMP (libgomp.so" in said and "import the extension at the top of the file" in said
    assert "next:" not in said


def test_a_script_is_told_how_the_library_can_be_patched_and_then_it_is(directory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (directory / "script.py").write_text(SCRIPT)
    monkeypatch.setenv("PYTHONPATH", f"{ROOT}:{directory}")
    words = Path(sys.executable), [str(directory / "script.py")], ["--bound", "preemption:1", "--watchdog", "1"]
    first = run_tool(*words)
    advised = re.search(r"threads of OpenMP .*: set (LD_PRELOAD)=(\S+),", first.messages)
    assert advised is not None, first
    monkeypatch.setenv(*advised.groups())
    assert run_tool(*words).kinds == {"assertion"}


@pytest.mark.parametrize(
    ("name", "is_one"),
    [
        ("/usr/lib/x86_64-linux-gnu/libgomp.so.1.0.0", True),
        ("/site-packages/scikit_learn.libs/libgomp-a34b3233.so.1.0.0", True),
        ("libiomp5.so", True),
        ("libomp.so.5", True),
        ("libompl.so.16", False),
        ("libgomp-plugin-nvptx.so.1", False),
    ],
)
def test_libraries_of_openmp_are_known_by_their_names(name: str, is_one: bool) -> None:
    assert is_openmp(name) == is_one
