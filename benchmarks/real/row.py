"""One binary of one subject, and how its search ended."""

from __future__ import annotations

import math
import re
import subprocess
from dataclasses import dataclass, field, replace
from typing import Any

from benchmarks.real.fetch import version
from benchmarks.real.subjects import Subject
from bpor.search.bounds.bound import BoundKind
from bpor.search.bounds.grammar import parse_bound

FAILED = "not built"


@dataclass(frozen=True)
class Row:
    name: str
    how: str
    setting: str
    verdict: str
    version: str = ""  # of the Debian package
    executions: int = 0
    threads: int = 0
    steps: int = 0  # of a run, on average
    reached: str = ""  # the strongest statement
    coverage: str = ""
    seconds: float = 0.0  # of a processor
    budget: int = 0  # of such seconds
    says: str = ""  # the first sentence of the report, or of what went wrong
    checked: int = 0  # seconds of random searches
    found: list[str] = field(default_factory=list)  # by these
    tool: str = ""  # which state of its sources
    day: str = ""

    def answers(self, seconds: int, check: int) -> bool:
        """Whether a search with so many seconds, and so many of random searches, would say no more."""
        if self.verdict == "pass":
            return self.checked >= check
        return self.verdict != "inconclusive" or self.budget >= seconds

    def cross_checked(self, seconds: int, found: list[str]) -> Row:
        return replace(self, checked=seconds, found=found) if self.verdict == "pass" else self


@dataclass(frozen=True)
class Searched:
    """How a search of a program ended."""

    report: Any  # its JSON; None: there was none
    said: str  # what it printed
    seconds: float  # of a processor


def row_of(subject: Subject, how: str, setting: str, budget: int, ended: Searched) -> Row:
    number = _version(subject)
    report, said = ended.report, ended.said
    if report is None:
        return Row(subject.name, how, setting, "no report", number, seconds=ended.seconds, says=said.strip()[:300])
    executions = report["executions"]
    return Row(
        subject.name,
        how,
        setting,
        report["verdict"],
        number,
        executions,
        report["threads"],
        report["steps"] // max(executions, 1),
        _reached(report),
        report["coverage"],
        ended.seconds,
        budget,
        _says(report, said),
    )


def _version(subject: Subject) -> str:
    """Of its first package; of Rust's own library that of the compiler that is used, which need not be Debian's."""
    if subject.packages[:1] == ("rustc",):
        return subprocess.run(["rustc", "--version"], check=True, capture_output=True, text=True).stdout.split()[1]
    return version(subject.packages[0]) if subject.packages else ""


def _reached(report: Any) -> str:
    statement = report["statement"]
    if report["verdict"] == "pass":
        calls = ", of the library calls only" if statement.startswith("pass of the library calls") else ""
        said = re.search(r"(all schedules(, the endless ones included)?|nothing to interleave)[^;]*", statement)
        return f"{said[0] if said else 'pass'}{calls}"
    return _bounded(max(report["completed_bounds"], key=_strength)) if report["completed_bounds"] else "none"


def _strength(text: str) -> tuple[float, float]:
    """Of a bound, as the tool compares them: by what it counts, then by how fair it is."""
    bound = parse_bound(text)
    counted = [term.high for term in bound.terms if term.kind is not BoundKind.FAIR]
    return min(counted, default=math.inf), math.inf if bound.value_fair is None else bound.value_fair


def _says(report: Any, said: str) -> str:
    """What the page tells of a row; a statement has paths of this machine."""
    if report["verdict"] in ("pass", "inconclusive"):
        return ""
    return _headline(said) if report["verdict"] == "bug" else report["statement"][:400]


def _bounded(bound: str) -> str:
    """A bound in words: that of preemptions first."""
    parts = bound.split(",")
    preemptions = [part.removeprefix("preemption:") for part in parts if part.startswith("preemption:")]
    others = [part for part in parts if not part.startswith("preemption:")]
    words = f"≤ {preemptions[0]} preemptions" if preemptions else "all schedules"
    return f"{words} ({', '.join(others)})" if others else words


def _headline(said: str) -> str:
    """The first paragraph of a report, as one line."""
    lines = []
    for line in said.splitlines():
        if line.startswith("  It ") or not line.strip():
            break
        lines.append(line.strip())
    return " ".join(lines)
