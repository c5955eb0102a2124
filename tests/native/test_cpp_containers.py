"""Containers of C++ in instrumented code: what libstdc++ has ready made of them is done by code that tells its accesses."""

from __future__ import annotations

import re
import subprocess
import sysconfig

import pytest

from tests.native.compiled import NATIVE, PROGRAMS, ROOT, compiled
from tests.native.pytest_project import CASES, PytestRun, run_pytest
from tests.native.tool import run_inside
from tests.patience import PATIENCE

pytestmark = pytest.mark.needs("g++")
PROBE = ROOT / "tests/native/probes/containers.cpp"


def test_our_lists_trees_and_tables_are_those_of_the_library() -> None:
    """Random work on them against arrays; trees check themselves."""
    assert subprocess.run([compiled(PROBE, instrumented=True)], timeout=PATIENCE).returncode == 0


def test_every_member_that_the_linker_redirects_is_there() -> None:
    wrapped = re.findall(r"^MEMBER\((\w+)\)", (ROOT / "csrc/instrument/members.def").read_text(), re.MULTILINE)
    archive = subprocess.run(["nm", NATIVE / "instrument" / "libtsan.a"], capture_output=True, text=True, check=True).stdout
    assert sorted(wrapped) == sorted(re.findall(r" T __wrap_(_Z\w+)$", archive, re.MULTILINE))


def test_two_threads_that_change_one_container_are_a_race() -> None:
    program = compiled(PROGRAMS / "buggy" / "assertion" / "two_appends.cpp", instrumented=True)
    assert run_inside(program, [], []).kinds == {"race"}


@pytest.fixture(scope="module")
def explored(tmp_path_factory: pytest.TempPathFactory) -> PytestRun:
    directory = tmp_path_factory.mktemp("words")
    module = compiled(CASES / "words.cpp", ["-shared", "-fPIC", f"-I{sysconfig.get_path('include')}"], instrumented=True)
    (directory / "words.so").symlink_to(module)
    (directory / "test_words.py").write_text((CASES / "words.py").read_text())
    return run_pytest(directory, "--bpor", "-q", "test_words.py")


@pytest.mark.needs("Python.h")
@pytest.mark.parametrize("name", ["append", "push", "insert_beside_find"])
def test_an_extension_that_shares_one_without_a_lock_fails(name: str, explored: PytestRun) -> None:
    told = explored[f"test_{name}"]
    assert told.properties.get("bpor_finding") in ("assertion", "crash"), told.text
    assert "words.cpp:" in told.text and "bpor_" not in told.text.split("replay:")[0], told.text


@pytest.mark.needs("Python.h")
def test_functions_of_a_libstdcxx_that_only_the_extension_sees_are_called(explored: PytestRun) -> None:
    """They were looked for by their names alone and not found: a call of NULL, which was told as a crash of the extension's."""
    assert explored["test_thread_of_its_own"].outcome == "passed", explored["test_thread_of_its_own"].text


@pytest.mark.needs("Python.h")
def test_two_containers_have_nothing_in_common(explored: PytestRun) -> None:
    told = explored["test_apart"]
    assert "; pass: all schedules; coverage memory;" in told.properties["bpor"], told.properties
    assert "not seen" not in told.properties["bpor"]
