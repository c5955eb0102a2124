"""Runs the command line as a user does, in a process of its own, and reads its JSON."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.native.compiled import ROOT

TIMEOUT = 120.0  # far above any run here: reaching it is a hang


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


def _run(before: Sequence[str], after: Sequence[str], timeout: float) -> Run:
    with tempfile.TemporaryDirectory(prefix="bpor-test-") as directory:
        report = Path(directory) / "report.json"
        result = subprocess.run(
            command(*before, "--json", report, "--", *after),
            capture_output=True,
            env=environment(),
            cwd=directory,
            timeout=timeout,
            stdin=subprocess.DEVNULL,
        )
        written = json.loads(report.read_text(encoding="utf-8")) if report.exists() else {}
        return Run(result.returncode, result.stdout.decode(errors="replace"), result.stderr.decode(errors="replace"), written)
