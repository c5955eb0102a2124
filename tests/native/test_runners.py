"""One word in front of a runner: `bpor-native ctest` and `bpor-native meson test` on real projects, which they build by themselves."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.native.compiled import PROGRAMS, ROOT
from tests.patience import PATIENCE

pytestmark = [pytest.mark.slow, pytest.mark.needs("gcc", "cmake", "ctest")]
BESIDE = str(Path(sys.executable).parent)

# What googletest is to CMake: it lists its tests, and runs the one that a filter names. Two locks in both orders are the test Bank.Crossed.
STAND_IN = r"""
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static void *crossed(void *unused)
{
    pthread_mutex_lock(&b);
    pthread_mutex_lock(&a);
    pthread_mutex_unlock(&a);
    pthread_mutex_unlock(&b);
    return unused;
}
int main(int count, char **words)
{
    const char *filter = "*";
    for (int i = 1; i < count; i++) {
        if (strcmp(words[i], "--gtest_list_tests") == 0)
            return puts("Bank.\n  Crossed\n  Quiet") < 0;
        if (strncmp(words[i], "--gtest_filter=", 15) == 0)
            filter = words[i] + 15;
    }
    if (strstr(filter, "Quiet") || access("here", F_OK) != 0 || strcmp(getenv("NEEDED"), "yes") != 0)
        return strstr(filter, "Quiet") ? 0 : 3;
    pthread_t thread;
    pthread_create(&thread, NULL, crossed, NULL);
    pthread_mutex_lock(&a);
    pthread_mutex_lock(&b);
    pthread_mutex_unlock(&b);
    pthread_mutex_unlock(&a);
    return pthread_join(thread, NULL);
}
"""

CMAKE = """
cmake_minimum_required(VERSION 3.20)
project(gate C)
find_package(Threads REQUIRED)
option(WITH_COUNTER "one more test")
enable_testing()
include(GoogleTest)
add_executable(stand_in stand_in.c)
target_link_libraries(stand_in Threads::Threads)
@PROPERTY@
gtest_discover_tests(stand_in WORKING_DIRECTORY ${CMAKE_SOURCE_DIR} PROPERTIES ENVIRONMENT NEEDED=yes FIXTURES_REQUIRED place)
add_test(NAME place COMMAND ${CMAKE_COMMAND} -E touch ${CMAKE_SOURCE_DIR}/here)
add_test(NAME tidy COMMAND ${CMAKE_COMMAND} -E remove ${CMAKE_SOURCE_DIR}/here)
set_tests_properties(place PROPERTIES FIXTURES_SETUP place)
set_tests_properties(tidy PROPERTIES FIXTURES_CLEANUP place)
add_test(NAME inverted COMMAND stand_in --gtest_filter=Bank.Quiet)
set_tests_properties(inverted PROPERTIES WILL_FAIL TRUE)
if(WITH_COUNTER)
    add_executable(counter counter.c)
    target_link_libraries(counter Threads::Threads)
    add_test(NAME counter COMMAND counter)
endif()
"""
EMULATOR = 'set_property(TARGET stand_in PROPERTY CROSSCOMPILING_EMULATOR "bpor-native;-q;--state;none;--bound;preemption:2;--")'


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "stand_in.c").write_text(STAND_IN)
    (tmp_path / "CMakeLists.txt").write_text(CMAKE.replace("@PROPERTY@", ""))
    shutil.copy(PROGRAMS / "correct/mutex/counter.c", tmp_path)
    tool = tmp_path / "bin" / "bpor-native"
    tool.parent.mkdir()
    tool.write_text(f'#!/bin/sh\nPYTHONPATH={ROOT} exec {sys.executable} -m bpor "$@"\n')
    tool.chmod(0o755)
    return tmp_path


def run(project: Path, *command: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PATH": f"{project / 'bin'}:{BESIDE}:{os.environ['PATH']}"}
    return subprocess.run(command, cwd=project, env=environment, capture_output=True, text=True, timeout=PATIENCE, stdin=subprocess.DEVNULL)


def verdicts(text: str) -> dict[str, str]:
    """test -> verdict, from the table."""
    table = text[text.index("verdict") :].split("\n\n")[0].split("\nsuite: ")[0]
    rows = [re.split(r"\s{2,}", line[1:].strip()) for line in table.splitlines()[1:]]
    return {row[1]: row[0] for row in rows}


def test_one_word_before_ctest_builds_finds_and_searches_the_tests(project: Path) -> None:
    ran = run(project, "bpor-native", "ctest", "--budget", "10m", "--bound", "preemption:2")
    assert ran.returncode == 1, ran.stdout + ran.stderr
    assert verdicts(ran.stdout) == {"Bank.Crossed": "bug", "Bank.Quiet": "pass", "inverted": "uncontrolled"}
    assert "expected to fail (WILL_FAIL)" in ran.stdout
    assert "SUMMARY: bpor-native: deadlock stand_in.c:" in ran.stdout
    assert (project / ".bpor-build/ctest/stand_in").is_file()
    assert not (project / "here").exists(), "the fixture's cleanup was not run"
    (line,) = re.findall(r"^See it again\n  (bpor-native .*)$", ran.stdout, re.MULTILINE)
    (project / "here").touch()
    again = run(project, *line.split())
    assert (again.returncode, line in again.stdout) == (1, True), again.stdout + again.stderr


def test_ctest_in_a_build_directory_takes_over_what_that_was_configured_with(project: Path) -> None:
    assert run(project, "cmake", "-S", ".", "-B", "theirs", "-DWITH_COUNTER=ON").returncode == 0
    ran = run(project, "bpor-native", "ctest", "--test-dir", "theirs", "-R", "^counter$", "--bound", "preemption:1", "-q")
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert verdicts(ran.stdout) == {"counter": "pass"}
    assert not (project / "theirs/counter").exists(), "the user's own build is left alone"


def test_an_emulator_of_cmake_lists_tests_as_if_we_were_not_there(project: Path) -> None:
    (project / "CMakeLists.txt").write_text(CMAKE.replace("@PROPERTY@", EMULATOR))
    (project / "here").touch()
    for command in (["cmake", "-S", ".", "-B", "out"], ["cmake", "--build", "out"]):
        made = run(project, *command)
        assert made.returncode == 0, made.stdout + made.stderr
    tested = run(project, "ctest", "--test-dir", "out", "-R", "Bank", "--output-on-failure")
    assert "1 tests failed out of 4" in tested.stdout, tested.stdout
    assert "SUMMARY: bpor-native: deadlock" in tested.stdout


MESON = """
project('gate', 'c', default_options: ['debug=true'])
threads = dependency('threads')
test('bank', executable('stand_in', 'stand_in.c', dependencies: threads), workdir: meson.current_source_dir(), env: ['NEEDED=yes'])
test('inverted', find_program('false'), should_fail: true)
test('skipped', find_program('sh'), args: ['-c', 'exit 77'])
test('left out', find_program('true'), suite: 'other')
"""


@pytest.mark.needs("meson", "ninja")
def test_one_word_before_meson_test_does_the_same(project: Path) -> None:
    (project / "meson.build").write_text(MESON)
    (project / "here").touch()
    ran = run(project, "bpor-native", "meson", "test", "--no-suite", "other", "--budget", "10m", "--bound", "preemption:2")
    assert ran.returncode == 1, ran.stdout + ran.stderr
    expected = {"bank:Bank.Crossed": "bug", "bank:Bank.Quiet": "pass", "inverted": "uncontrolled", "skipped": "uncontrolled"}
    assert verdicts(ran.stdout) == expected
    assert "2 failed" not in ran.stdout and "1 skipped" in ran.stdout


@pytest.mark.parametrize("words", [["ctest"], ["meson", "test"], ["meson", "compile"], ["cargo", "build"]])
def test_where_there_is_no_project_or_no_test_a_runner_is_refused_in_a_line(words: list[str], tmp_path: Path) -> None:
    (tmp_path / "bin").mkdir()
    ran = run(tmp_path, sys.executable, "-m", "bpor", *words)
    assert (ran.returncode, len(ran.stderr.splitlines())) == (2, 1), ran.stderr
    assert not (tmp_path / ".bpor-build").exists()


@pytest.mark.needs("Python.h")
def test_one_word_before_pytest_builds_the_extension_elsewhere_and_explores_its_tests(project: Path) -> None:
    for name in ("hits.c", "setup.py", "test_hits.py"):
        shutil.copy(ROOT / "examples/extension" / name, project)
    before = sorted(path.name for path in project.iterdir())
    ran = run(project, "bpor-native", "pytest", "-q", "-p", "no:cacheprovider", "test_hits.py")
    assert "bpor: explored 1 of 1 test" in ran.stdout, ran.stdout + ran.stderr
    (line,) = set(re.findall(r"^replay: (bpor-native pytest .*)$", ran.stdout, re.MULTILINE))  # where CI is set, pytest says it twice
    assert sorted(path.name for path in project.iterdir() if path.name not in ("__pycache__", ".bpor")) == sorted([*before, ".bpor-build"])
    again = run(project, "sh", "-c", f"{line} -q -p no:cacheprovider")
    assert "assertion: `1 == 2` is false at test_hits.py:6" in again.stdout, again.stdout + again.stderr
