"""Runs the command line, in a process of its own or inside this one, and reads its JSON."""

from __future__ import annotations

import contextlib
import io
import json
import os
import shlex
import signal
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from bpor.cli import main
from tests.native.compiled import ROOT
from tests.native.forked import run_forked
from tests.patience import PATIENCE

TIMEOUT = PATIENCE


@dataclass(frozen=True, slots=True, repr=False)
class Run:
    """How one run of the tool ended."""

    exit_code: int
    stdout: str
    stderr: str
    report: dict[str, Any] = field(default_factory=dict)  # empty if none was written

    @property
    def kinds(self) -> frozenset[str]:
        return frozenset(finding["kind"] for finding in self.report.get("findings", ()))

    @property
    def messages(self) -> str:
        """Everything the report says in words."""
        findings = "\n".join(finding["message"] for finding in self.report.get("findings", ()))
        return f"{self.report.get('statement', '')}\n{findings}"

    def __repr__(self) -> str:
        """What a failed test shows."""
        return f"exit code {self.exit_code}\n--- stdout\n{self.stdout}\n--- stderr\n{self.stderr}"


def command(*arguments: str | Path) -> list[str]:
    return [sys.executable, "-m", "bpor", *map(str, arguments)]


def environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(ROOT)}


def run_tool(program: Path, arguments: Sequence[str] = (), options: Sequence[str] = (), timeout: float = TIMEOUT) -> Run:
    """`bpor-native run OPTIONS --json … -- PROGRAM ARGUMENTS`."""
    return _run(["run", *options], [str(program), *arguments], timeout)


def run_replay(line: str, timeout: float = TIMEOUT) -> Run:
    """A replay line exactly as it was printed, plus --json."""
    first, *rest = shlex.split(line)
    assert first == "bpor-native", line
    split = rest.index("--")
    return _run(rest[:split], rest[split + 1 :], timeout)


def run_inside(program: Path, arguments: Sequence[str] = (), options: Sequence[str] = ()) -> Run:
    """As `run_tool`, in this process: the same words, the same code behind them, without starting Python for each of a thousand runs."""
    return _run_inside(["run", *options], [str(program), *arguments])


def replay_inside(line: str) -> Run:
    first, *rest = shlex.split(line)
    assert first == "bpor-native", line
    split = rest.index("--")
    return _run_inside(rest[:split], rest[split + 1 :])


def _run_inside(before: Sequence[str], after: Sequence[str]) -> Run:
    handlers = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGHUP)}
    out, err, here = io.StringIO(), io.StringIO(), os.getcwd()
    with tempfile.TemporaryDirectory(prefix="bpor-test-") as directory:
        report = Path(directory) / "report.json"
        os.chdir(directory)
        try:
            with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
                code = main([*before, "--json", str(report), "--", *after])
        finally:
            os.chdir(here)
            for number, handler in handlers.items():
                signal.signal(number, handler)
        written = json.loads(report.read_text(encoding="utf-8")) if report.exists() else {}
    return Run(code, out.getvalue(), err.getvalue(), written)


def _run(before: Sequence[str], after: Sequence[str], timeout: float) -> Run:
    with tempfile.TemporaryDirectory(prefix="bpor-test-") as directory, tempfile.TemporaryDirectory(prefix="bpor-test-") as beside:
        report = Path(beside) / "report.json"
        run = run_command(*before, "--json", str(report), "--", *after, directory=Path(directory), timeout=timeout)
        return replace(run, report=json.loads(report.read_text(encoding="utf-8"))) if report.exists() else run


def run_command(*words: str, directory: Path, timeout: float = TIMEOUT, **variables: str) -> Run:
    """Any words of the command line, in a process of its own."""
    ended = run_forked(words, directory, {"PYTHONPATH": str(ROOT), **variables}, timeout)
    return Run(ended.returncode, ended.stdout.decode(errors="replace"), ended.stderr.decode(errors="replace"))


def run_words(directory: Path, *words: str | Path, stdin: str = "", **variables: str) -> subprocess.CompletedProcess[str]:
    """As `run_command`, told in subprocess's words."""
    ended = run_forked([*map(str, words)], directory, {"PYTHONPATH": str(ROOT), **variables}, TIMEOUT, stdin.encode())
    out, err = (stream.decode(errors="replace") for stream in (ended.stdout, ended.stderr))
    return subprocess.CompletedProcess(ended.args, ended.returncode, out, err)
