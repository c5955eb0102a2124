"""How executions end, as values: input and output per execution, deaths that do not end the search, a controller that dies."""

from __future__ import annotations

import signal
import subprocess
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest

from tests.native.conftest import survivors
from tests.native.tool import command, environment, run_tool
from tests.patience import PATIENCE, eventually

pytestmark = pytest.mark.needs("gcc")
Compile = Callable[..., Path]


def test_input_is_empty_by_default(program: Compile) -> None:
    assert run_tool(program("correct/process/echo.c"), ["0"], ["--bound", "none"]).exit_code == 0
    assert run_tool(program("correct/process/echo.c"), ["5"], ["--bound", "none"]).exit_code == 1


def test_every_execution_reads_the_whole_input_file(program: Compile, tmp_path: Path) -> None:
    (tmp_path / "input").write_bytes(b"x" * 100_000)
    run = run_tool(program("correct/process/echo.c"), ["100000"], ["--bound", "none", "--stdin", str(tmp_path / "input")])
    assert run.exit_code == 0, run
    assert run.report["distinct_traces"] == 2


def test_ten_megabytes_of_output_neither_block_nor_show(program: Compile) -> None:
    run = run_tool(program("correct/process/input_output_files.c"), options=["--bound", "none"])
    assert run.exit_code == 0, run.stderr
    assert "xxxx" not in run.stdout + run.stderr


def test_show_output_shows_a_mebibyte_of_each_execution(program: Compile) -> None:
    run = run_tool(program("correct/process/input_output_files.c"), options=["--bound", "none", "--show-output"])
    shown = (run.stdout + run.stderr).count("x")
    assert run.report["executions"] * (1 << 20) * 0.99 < shown < run.report["executions"] * (1 << 20) * 1.01


def test_only_the_failing_execution_is_printed(program: Compile) -> None:
    run = run_tool(program("buggy/exit/prints_its_order.c"), options=["--bound", "none"])
    assert run.exit_code == 1, run
    assert "second before first" in run.stdout
    assert "first before second" not in run.stdout


def test_outcomes_counts_the_distinct_outputs(program: Compile) -> None:
    run = run_tool(program("buggy/exit/prints_its_order.c"), options=["--bound", "none", "--outcomes", "--keep-going"])
    assert sorted(one["stdout"] for one in run.report["outcomes"]) == ["first before second\n", "second before first\n"], run


@pytest.mark.parametrize(
    ("name", "traces"),
    [
        ("buggy/crash/division.c", 2),
        ("buggy/deadlock/bank.c", 3),
        ("buggy/exit/status_by_order.c", 2),
        ("buggy/assertion/lost_update.c", 6),
    ],
)
def test_a_failing_execution_does_not_end_the_search(name: str, traces: int, program: Compile) -> None:
    run = run_tool(program(name), options=["--bound", "none", "--keep-going"])
    assert run.exit_code == 1, run
    assert run.report["distinct_traces"] == traces
    assert run.report["executions"] >= traces


def test_an_execution_that_is_killed_does_not_end_the_search(program: Compile) -> None:
    """SIGKILL tells nobody why: the execution is cut, the others are run, and the verdict is no pass."""
    run = run_tool(program("correct/process/killed.c"), ["kill"], ["--bound", "none"])
    assert run.exit_code == 3, run
    assert run.report["distinct_traces"] == 1, "the order that was not killed"


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_a_killed_controller_leaves_no_process_behind(number: signal.Signals, program: Compile, tmp_path: Path) -> None:
    target = program("correct/mutex/counter.c", "-DTHREADS=6")
    search = command("run", "--bound", "none", "--max-time", f"{PATIENCE}s", "--", target)
    with subprocess.Popen(search, env=environment(), cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as controller:
        try:
            descendants = wait_for_target(psutil.Process(controller.pid), target.name)
            controller.send_signal(number)
            controller.wait(timeout=PATIENCE)
        finally:
            controller.kill()
    assert survivors(descendants) == []


def wait_for_target(controller: psutil.Process, name: str) -> list[psutil.Process]:
    """Everything below the controller, once the program itself (not yet its launcher) is among it."""

    def running() -> list[psutil.Process]:
        descendants = controller.children(recursive=True)
        return descendants if any(name_of(one) == name for one in descendants) else []

    return eventually(running, "the program's start")


def name_of(process: psutil.Process) -> str:
    try:
        return str(process.name())
    except psutil.NoSuchProcess:
        return ""
