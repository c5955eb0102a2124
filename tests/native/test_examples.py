"""The projects of examples/, each by the commands of its own page: the bug is found, and what the page says to mend makes it go."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.native.compiled import ROOT
from tests.patience import PATIENCE

pytestmark = pytest.mark.slow
EXAMPLES = ROOT / "examples"
ENOUGH = ["--budget", "10m", "--bound", "preemption:1"]  # however busy the machine is


def copied(name: str, directory: Path) -> Path:
    return Path(shutil.copytree(EXAMPLES / name, directory / name))


def commands(project: Path) -> list[str]:
    """Those that a reader is told to type."""
    blocks = re.findall(r"^```sh\n(.*?)^```", (project / "README.md").read_text(), re.MULTILINE | re.DOTALL)
    return [line for block in blocks for line in block.splitlines()]


def run(project: Path, line: str, *options: str) -> subprocess.CompletedProcess[str]:
    """As it stands there, with this tree's tool."""
    words = line.split()
    command = [sys.executable, "-m", "bpor", *words[1:], *options] if words[0] == "bpor-native" else words
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path, "PYTHONPATH": str(ROOT)}
    return subprocess.run(command, cwd=project, env=environment, capture_output=True, text=True, timeout=PATIENCE, stdin=subprocess.DEVNULL)


def change(file: Path, old: str, new: str) -> None:
    text = file.read_text()
    assert text.count(old) == 1
    file.write_text(text.replace(old, new))


@pytest.mark.needs("gcc", "make")
def test_the_queue_in_c_loses_an_item_and_is_mended_by_a_while(tmp_path: Path) -> None:
    project = copied("c", tmp_path)
    build, search = commands(project)
    assert run(project, build).returncode == 0
    found = run(project, search)
    assert (found.returncode, "assertion: `taken[0] + taken[1] == 3`" in found.stdout) == (1, True), found.stdout + found.stderr
    change(project / "queue.h", "if (!queue->full)", "while (!queue->full)")
    assert run(project, build).returncode == 0
    mended = run(project, search)
    assert (mended.returncode, mended.stdout.splitlines()[-1].startswith("pass: all schedules")) == (0, True), mended.stdout


@pytest.mark.needs("g++", "cmake", "ctest")
def test_the_cache_of_googletest_grows_too_large_in_googletests_own_words(tmp_path: Path) -> None:
    if not Path("/usr/include/gtest/gtest.h").exists():
        pytest.skip("needs libgtest-dev")
    project = copied("googletest", tmp_path)
    (line,) = commands(project)
    found = run(project, line, *ENOUGH)
    assert found.returncode == 1, found.stdout + found.stderr
    assert found.stdout.startswith("Cache.ConcurrentPuts failed, test_cache.cpp:18: cache.size() <= 1u, actual 2\n")
    assert "suite: 2 tests: 1 passed, 1 failed, 0 errors, 0 skipped" in found.stdout
    (shown,) = re.findall(r"^```text\n\$ bpor-native ctest\n(.*?)^```", (ROOT / "docs/site/index.md").read_text(), re.MULTILINE | re.DOTALL)
    assert all(part in found.stdout for part in shown.split("[...]\n")), "the front page of the site shows another report"


@pytest.mark.needs("cargo")
def test_the_accounts_in_rust_wait_for_each_other(tmp_path: Path) -> None:
    project = copied("rust", tmp_path)
    (line,) = commands(project)
    found = run(project, line, *ENOUGH)
    assert found.returncode == 1, found.stdout + found.stderr
    assert "deadlock: " in found.stdout and "accounts.rs:18" in found.stdout, found.stdout
