"""`replay --gdb`: any step of a schedule in a debugger, on kernel threads."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.native.tool import command, environment
from tests.patience import PATIENCE

pytestmark = pytest.mark.needs("gdb")


def tool(directory: Path, *words: str | Path, stdin: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command(*words), cwd=directory, env=environment(), capture_output=True, text=True, timeout=PATIENCE, input=stdin, errors="replace"
    )


@pytest.fixture
def bank(program: Callable[..., Path], tmp_path: Path) -> Path:
    assert tool(tmp_path, program("buggy/deadlock/bank.c"), "--bound", "preemption:1").returncode == 1
    return tmp_path


def test_batch_prints_every_threads_backtrace_at_the_last_step(bank: Path) -> None:
    run = tool(bank, "replay", "last", "--gdb", "--batch")
    assert run.returncode == 1, run.stdout + run.stderr
    threads = dict(re.findall(r'^Thread [^\n]*"(T\d)"\):\n(.*?)(?=^Thread|\Z)', run.stdout, re.DOTALL | re.MULTILINE))
    assert set(threads) == {"T0", "T1", "T2"}
    assert re.search(r"transfer .* at .*bank\.c:20", threads["T1"]) and "alice" in threads["T1"]
    assert re.search(r"transfer .* at .*bank\.c:20", threads["T2"]) and "bob" in threads["T2"]
    assert re.search(r"main .* at .*bank\.c:44", threads["T0"])
    assert run.stdout.splitlines()[-1].startswith("bug: deadlock")


def test_it_goes_to_a_step_on_and_back(bank: Path) -> None:
    commands = "bpor goto 2\nframe\nbpor next\nbpor back\nprint from\nbpor back\nbpor end\nbpor goto 3\nbpor nonsense\nquit\n"
    run = tool(bank, "replay", "last", "--gdb", stdin=commands)
    assert run.returncode == 1, run.stdout + run.stderr
    stops = re.findall(r"before step (\d) of 4: (T\d)|(the end), after 4 steps", run.stdout)
    assert ["".join(stop) for stop in stops] == ["0T0", "2T1", "3T2", "2T1", "1T0", "the end", "3T2"]
    assert re.search(r"bank\.c:19", run.stdout)  # `frame` is the program's own, not the runtime's
    assert re.search(r"= \(struct account \*\) 0x\w+ <a>", run.stdout)  # so its variables are at hand
    assert "bpor goto N" in run.stdout


def test_of_a_lasso_the_stem_and_one_round_are_shown(program: Callable[..., Path], tmp_path: Path) -> None:
    assert tool(tmp_path, program("buggy/livelock/polite.c")).returncode == 1
    run = tool(tmp_path, "replay", "last", "--gdb", "--batch")
    assert run.returncode == 1, run.stdout + run.stderr
    assert "the end, after 10 steps" in run.stdout
    assert len(re.findall(r"be_polite .* at .*polite\.c:15", run.stdout)) == 2
    assert run.stdout.splitlines()[-1].startswith("bug: livelock")


def test_a_crash_is_seen_where_it_happens(program: Callable[..., Path], tmp_path: Path) -> None:
    assert tool(tmp_path, program("buggy/crash/use_after_free.c")).returncode == 1
    run = tool(tmp_path, "replay", "last", "--gdb", "--batch")
    assert run.returncode == 1, run.stdout + run.stderr
    first = run.stdout.split("Thread ", 1)[1]
    assert re.search(r"#\d+ .*use_after_free\.c:15", first)


def test_a_schedule_that_passes_can_be_looked_at_too(program: Callable[..., Path], tmp_path: Path) -> None:
    run = tool(tmp_path, "replay", "0", "--gdb", "--", program("buggy/deadlock/bank.c"), stdin="bpor end\nbpor where\nquit\n")
    assert run.returncode == 0, run.stdout + run.stderr
    assert "the end, after" in run.stdout


def test_batch_without_gdb_is_a_usage_error(bank: Path) -> None:
    assert tool(bank, "replay", "last", "--batch").returncode == 2
