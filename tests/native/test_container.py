"""Under Docker's default seccomp profile (emulated): no switching off of address randomisation, no userfaultfd; everything else as ever."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.native.pytest_project import environment as python_environment
from tests.native.tool import command, environment
from tests.patience import PATIENCE

pytestmark = pytest.mark.slow  # every test starts several processes

FILTER = [sys.executable, str(Path(__file__).with_name("docker_seccomp.py"))]
PROBE = """
import ctypes, json
c = ctypes.CDLL(None, use_errno=True)
def errno(*arguments):
    ctypes.set_errno(0)
    return ctypes.get_errno() if c.syscall(*map(ctypes.c_long, arguments)) < 0 else 0
print(json.dumps([errno(135, 0x40000), errno(135, 0xffffffff), errno(323, 1), errno(272, 0x20000), errno(39), errno(435, 0, 0)]))
"""


def contained(*words: str | Path, cwd: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*FILTER, *map(str, words)], cwd=cwd, env=environment(), capture_output=True, text=True, timeout=PATIENCE)


def test_the_filter_refuses_what_dockers_does_and_nothing_else(tmp_path: Path) -> None:
    probed = contained(sys.executable, "-c", PROBE, cwd=tmp_path)
    assert json.loads(probed.stdout) == [1, 0, 1, 1, 0, 38], probed.stderr


@pytest.mark.parametrize("options", [[], ["--reset", "fork"], ["--reset", "exec"], ["--carrier", "threads"]], ids=" ".join)
def test_a_search_finds_the_bug_and_its_replay_line_repeats_it(program: Callable[..., Path], tmp_path: Path, options: list[str]) -> None:
    bank = program("buggy/deadlock/bank.c")
    found = contained(*command("--json", "r.json", "--bound", "preemption:2", *options, bank), cwd=tmp_path)
    assert found.returncode == 1, found.stderr
    (finding,) = json.loads((tmp_path / "r.json").read_text())["findings"]
    assert finding["kind"] == "deadlock"
    line = shlex.split(finding["replay"])
    again = contained(*command(*line[1:]), cwd=tmp_path)
    assert (again.returncode, "SUMMARY: bpor-native: deadlock bank.c:20 in transfer" in again.stdout) == (1, True), again.stderr
    last = contained(*command("replay", "last"), cwd=tmp_path)
    assert last.returncode == 1, last.stderr


ALIKE = [
    "correct/mutex/counter.c",
    "correct/condition/ping_pong.c",
    "correct/mutex/heap_mutexes.c",
    "correct/reset/first_touch.c",
    "correct/reset/guard_pages.c",
    "correct/reset/kernel_writes.c",
]


@pytest.mark.parametrize("name", ALIKE)
def test_the_same_schedules_are_run_inside_and_outside(program: Callable[..., Path], tmp_path: Path, name: str) -> None:
    numbers = []
    for prefix in (FILTER, []):
        words = [*prefix, *command("--json", "r.json", "--state", "none", "--bound", "preemption:2", program(name))]
        ended = subprocess.run(words, cwd=tmp_path, env=environment(), capture_output=True, text=True, timeout=PATIENCE)
        assert ended.returncode == 0, ended.stderr
        report = json.loads((tmp_path / "r.json").read_text())
        numbers.append((report["verdict"], report["executions"], report["distinct_traces"], report["steps"]))
    assert numbers[0] == numbers[1]


def test_a_suite_runs_inside(program: Callable[..., Path], tmp_path: Path) -> None:
    os.symlink(program("correct/mutex/counter.c"), tmp_path / "counter")
    (tmp_path / "bpor.toml").write_text('[[test]]\nprogram = "counter"\nbound = "preemption:1"\n')
    ended = contained(*command("suite"), cwd=tmp_path)
    assert ended.returncode == 0, ended.stderr + ended.stdout


FILES = """
import os

def test_directory(bpor, tmp_path):
    bpor.threads((tmp_path / "a").mkdir, (tmp_path / "b").mkdir)
    assert sorted(os.listdir(tmp_path)) == ["a", "b"]
"""


def test_the_files_of_a_python_test_are_put_back_though_it_was_never_rolled_back(tmp_path: Path) -> None:
    """An interpreter has too many pages to copy them all: it is forked from the start."""
    (tmp_path / "test_files.py").write_text(FILES)
    words = [sys.executable, "-m", "pytest", "-p", "bpor.pytest_plugin", "-p", "no:cacheprovider", "--bpor", "test_files.py"]
    ended = subprocess.run([*FILTER, *words], cwd=tmp_path, env=python_environment(), capture_output=True, text=True, timeout=PATIENCE)
    assert ended.returncode == 0, ended.stdout + ended.stderr
