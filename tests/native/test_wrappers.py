"""In front of a test program, as every build system lets one stand: each with the real tool, on a test that passes, one that fails by its
schedule alone, and one that cannot be controlled."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.native.compiled import PROGRAMS, ROOT
from tests.patience import PATIENCE

pytestmark = pytest.mark.slow  # every test starts several processes

SOURCES = {"good": "correct/mutex/counter.c", "bank": "buggy/deadlock/bank.c", "cancel": "unsupported/cancel.c"}
OPTIONS = ["-q", "--state", "none", "--bound", "preemption:2", "--uncontrolled", "skip"]
BESIDE = str(Path(sys.executable).parent)  # cmake and meson of the same environment come before the system's


def needed(tool: str) -> str:
    return shutil.which(tool, path=f"{BESIDE}:{os.environ['PATH']}") or pytest.skip(f"needs {tool}")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """The sources, and a PATH in which bpor-native is this tree."""
    for name, source in SOURCES.items():
        shutil.copy(PROGRAMS / source, tmp_path / f"{name}.c")
    tool = tmp_path / "bin" / "bpor-native"
    tool.parent.mkdir()
    tool.write_text(f'#!/bin/sh\nPYTHONPATH={ROOT} exec {sys.executable} -m bpor "$@"\n')
    tool.chmod(0o755)
    return tmp_path


def run(project: Path, *command: str, **variables: str) -> subprocess.CompletedProcess[str]:
    path = f"{project / 'bin'}:{BESIDE}:{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path, **variables}
    return subprocess.run(command, cwd=project, env=environment, capture_output=True, text=True, timeout=PATIENCE, stdin=subprocess.DEVNULL)


def statuses(junit: Path) -> dict[str, str]:
    """test -> run, fail or skip, from the JUnit file that the build system wrote itself (meson says `project:test`)."""
    found = {}
    for case in ElementTree.parse(junit).iter("testcase"):
        children = {child.tag for child in case}
        found[case.get("name", "").rpartition(":")[2]] = (
            "fail" if children & {"failure", "error"} else "skip" if "skipped" in children else "run"
        )
    return found


EXPECTED = {"good": "run", "bank": "fail", "cancel": "skip"}

CMAKE = """
cmake_minimum_required(VERSION 3.20)
project(gate C)
find_package(Threads REQUIRED)
enable_testing()
foreach(name good bank cancel)
    add_executable(${name} ${name}.c)
    target_compile_options(${name} PRIVATE -g)
    target_link_libraries(${name} Threads::Threads)
    @PROPERTY@
    add_test(NAME ${name} COMMAND ${name})
    set_tests_properties(${name} PROPERTIES SKIP_RETURN_CODE 77)
endforeach()
"""


def ctest(project: Path, lists: str, *definitions: str) -> dict[str, str]:
    (project / "CMakeLists.txt").write_text(lists)
    cmake, tester = needed("cmake"), needed("ctest")
    configured = run(project, cmake, "-S", ".", "-B", "build", *definitions)
    assert configured.returncode == 0, configured.stderr
    built = run(project, cmake, "--build", "build")
    assert built.returncode == 0, built.stderr
    tested = run(project, tester, "--test-dir", "build", "--output-junit", str(project / "ctest.xml"), "--output-on-failure")
    assert tested.returncode == 8, tested.stdout
    assert "SUMMARY: bpor-native: deadlock bank.c:20 in transfer" in tested.stdout
    return statuses(project / "ctest.xml")


def test_ctest_puts_us_in_front_as_its_test_launcher(project: Path) -> None:
    version = run(project, needed("cmake"), "--version").stdout.split()[2]
    if tuple(map(int, version.split(".")[:2])) < (3, 29):
        pytest.skip("needs cmake 3.29")
    launcher = ";".join(["bpor-native", *OPTIONS, "--"])
    assert ctest(project, CMAKE.replace("@PROPERTY@", ""), f"-DCMAKE_TEST_LAUNCHER={launcher}") == EXPECTED


def test_an_older_ctest_puts_us_in_front_as_an_emulator(project: Path) -> None:
    emulator = f'set_property(TARGET ${{name}} PROPERTY CROSSCOMPILING_EMULATOR "{";".join(["bpor-native", *OPTIONS, "--"])}")'
    assert ctest(project, CMAKE.replace("@PROPERTY@", emulator)) == EXPECTED


MESON = """
project('gate', 'c', default_options: ['debug=true'])
threads = dependency('threads')
foreach name : ['good', 'bank', 'cancel']
  test(name, executable(name, name + '.c', dependencies: threads), timeout: 120)
endforeach
"""


def test_meson_takes_us_as_its_wrapper(project: Path) -> None:
    (project / "meson.build").write_text(MESON)
    meson, _ = needed("meson"), needed("ninja")
    configured = run(project, meson, "setup", "build")
    assert configured.returncode == 0, configured.stdout
    tested = run(project, meson, "test", "-C", "build", "--wrapper", " ".join(["bpor-native", *OPTIONS, "--"]))
    assert tested.returncode == 1, tested.stdout
    (junit,) = (project / "build/meson-logs").glob("testlog-*.junit.xml")
    assert statuses(junit) == EXPECTED
    assert "SUMMARY: bpor-native: deadlock" in junit.with_name(junit.name.replace(".junit.xml", ".txt")).read_text()


AUTOMAKE = """
AUTOMAKE_OPTIONS = foreign
AM_CFLAGS = -g -pthread
AM_LDFLAGS = -pthread
check_PROGRAMS = good bank cancel
TESTS = $(check_PROGRAMS) missing.test
LOG_COMPILER = bpor-native
AM_LOG_FLAGS = @OPTIONS@ --
TEST_EXTENSIONS = .test
TEST_LOG_COMPILER = bpor-native
AM_TEST_LOG_FLAGS = --nonsense
"""


CONFIGURE = """
AC_INIT([gate], [1])
AM_INIT_AUTOMAKE([foreign])
AC_PROG_CC
AC_CONFIG_FILES([Makefile])
AC_OUTPUT
"""


@pytest.mark.needs("automake", "autoreconf")
def test_automake_reads_our_exit_codes(project: Path) -> None:
    (project / "Makefile.am").write_text(AUTOMAKE.replace("@OPTIONS@", " ".join(OPTIONS)))
    (project / "configure.ac").write_text(CONFIGURE)
    (project / "missing.test").write_text("")
    for command in (["autoreconf", "-i"], ["./configure"]):
        prepared = run(project, *command)
        assert prepared.returncode == 0, prepared.stderr
    tested = run(project, "make", "check")
    assert tested.returncode != 0
    told = [line.split(": ") for line in tested.stdout.splitlines() if line.startswith(("PASS: ", "FAIL: ", "SKIP: ", "ERROR: "))]
    assert {name: status for status, name in told} == {"good": "PASS", "bank": "FAIL", "cancel": "SKIP", "missing.test": "FAIL"}


@pytest.mark.needs("make")
def test_a_plain_makefile_stops_at_the_bug(project: Path) -> None:
    rules = "check: good bank\n\tbpor-native {0} ./good\n\tbpor-native {0} ./bank\n\ttouch reached\n%: %.c\n\t$(CC) -g -pthread -o $@ $<\n"
    (project / "Makefile").write_text(rules.format(" ".join(OPTIONS)))
    tested = run(project, "make", "check")
    assert tested.returncode == 2
    assert "[Makefile:3: check] Error 1" in tested.stderr
    assert "SUMMARY: bpor-native: deadlock" in tested.stdout
    assert not (project / "reached").exists()


# Uncontended std locks are inline atomics and not seen in a plain build: the threads meet at the yields.
RUST = """
use std::sync::{Arc, Mutex};
use std::thread;

#[test]
fn crossed() {
    let (a, b) = (Arc::new(Mutex::new(0)), Arc::new(Mutex::new(0)));
    let (c, d) = (a.clone(), b.clone());
    let other = thread::spawn(move || {
        let _x = d.lock().unwrap();
        thread::yield_now();
        let _y = c.lock().unwrap();
    });
    {
        let _x = a.lock().unwrap();
        thread::yield_now();
        let _y = b.lock().unwrap();
    }
    other.join().unwrap();
}

#[test]
fn counted() {
    let n = Arc::new(Mutex::new(0));
    let m = n.clone();
    let other = thread::spawn(move || *m.lock().unwrap() += 1);
    other.join().unwrap();
    assert_eq!(*n.lock().unwrap(), 1);
}
"""


@pytest.mark.needs("cargo")
def test_cargo_takes_us_as_the_runner_of_its_tests(project: Path) -> None:
    package = '[package]\nname = "gate"\nversion = "0.1.0"\nedition = "2021"\n'
    (project / "Cargo.toml").write_text(package + '[lib]\npath = "lib.rs"\ndoctest = false\n')
    (project / "lib.rs").write_text(RUST)
    words = ", ".join(f'"{word}"' for word in ["bpor-native", *OPTIONS, "--machine-code=off", "--"])
    (project / ".cargo").mkdir()
    (project / ".cargo/config.toml").write_text(f"[target.x86_64-unknown-linux-gnu]\nrunner = [{words}]\n")
    good = run(project, "cargo", "test", "--offline", "--", "--test-threads=1", "--exact", "counted")
    assert good.returncode == 0, good.stdout + good.stderr
    assert "pass of the library calls only: " in good.stdout
    bad = run(project, "cargo", "test", "--offline", "--", "--test-threads=1", "--exact", "crossed")
    assert bad.returncode != 0
    assert "SUMMARY: bpor-native: deadlock lib.rs:" in bad.stdout, bad.stdout + bad.stderr


PYTEST = """
import bpor
import pytest

@pytest.mark.parametrize("program", ["./good", "./bank"])
def test_every_schedule(program):
    result = bpor.check([program], bound="preemption:2")
    assert not result.findings, str(result.findings[0])
    assert result.exit_code == 0, result
"""


def test_a_pytest_suite_calls_the_api(project: Path) -> None:
    for name in ("good", "bank"):
        subprocess.run(["gcc", "-g", "-pthread", "-o", name, f"{name}.c"], cwd=project, check=True)
    (project / "test_gate.py").write_text(PYTEST)
    tested = run(
        project, sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--junitxml=p.xml", "test_gate.py", PYTHONPATH=str(ROOT)
    )
    assert tested.returncode == 1, tested.stdout
    assert statuses(project / "p.xml") == {"test_every_schedule[./good]": "run", "test_every_schedule[./bank]": "fail"}
    assert "deadlock: T1 (alice, bank.c:20) holds `a.lock`" in tested.stdout
