"""Executions and time to known bugs, for DPOR, bounded search, BPOR and best-first search."""

from __future__ import annotations

import json
from dataclasses import dataclass

from benchmarks.paper.native import ROOT, compiled, measure
from bpor.api import check
from bpor.search.comparison import Row

BUGGY = ROOT / "native_tests" / "buggy"


@dataclass(frozen=True, slots=True)
class Bug:
    file: str
    kind: str
    flags: tuple[str, ...] = ()
    bound: str = "preemption:2"
    unbounded: str = "none"


BUGS = (
    Bug("deadlock/bank.c", "deadlock"),
    Bug("deadlock/philosophers.c", "deadlock", ("-DN=5",)),
    Bug("deadlock/three_locks.c", "deadlock"),
    Bug("deadlock/lost_wakeup.c", "deadlock"),
    Bug("deadlock/queue_one_condition.c", "deadlock"),
    Bug("assertion/queue_if_for_while.c", "assertion"),
    Bug("assertion/check_then_act.c", "assertion"),
    Bug("assertion/twice_initialised.c", "assertion"),
    Bug("livelock/polite.c", "livelock", (), "fair:2,preemption:2", "fair:2"),
)
SEARCHES = ("DPOR", "bounded", "BPOR", "best-first")
Found = dict[Bug, dict[str, Row]]


def time_to_bug(bug: Bug, seconds: float) -> dict[str, Row]:
    program = compiled(BUGGY / bug.file, *bug.flags)
    return {
        "DPOR": measure(program, "dpor", bug.unbounded, seconds, max_findings=1),
        "bounded": measure(program, "dfs", bug.bound, seconds, max_findings=1),
        "BPOR": measure(program, "bpor", bug.bound, seconds, max_findings=1),
        "best-first": measure(program, "best-first:pb", bug.bound, seconds, max_findings=1),
    }


def find_all(seconds: float) -> Found:
    return {bug: time_to_bug(bug, seconds) for bug in BUGS}


def bug_table(found: Found) -> list[tuple[str, ...]]:
    table = [("program", "bug", "bound", *(f"{name}: executions (ms)" for name in SEARCHES))]
    table += [(bug.file, bug.kind, bug.bound, *(_cell(rows[name]) for name in SEARCHES)) for bug, rows in found.items()]
    return table


def _cell(row: Row) -> str:
    if row.first_failure is None or row.first_failure_seconds is None:
        return f"not in {row.executions}"
    return f"{row.first_failure} ({row.first_failure_seconds * 1000:.0f})"


# ---- the default search beside those it is made of: python -m benchmarks.paper.bugs ----

MIX = ("default", "dpor", "bpor", "best-first:pb", "best-first:random", "pct", "pos", "random")


def mix_row(bug: Bug, seconds: float) -> dict[str, str | int]:
    """Executions to the first finding, the probes for livelocks included."""
    program = compiled(BUGGY / bug.file, *bug.flags)
    bounds = {"dpor": bug.unbounded, "bpor": bug.bound, "best-first:pb": bug.bound, "best-first:random": bug.bound}
    found: dict[str, str | int] = {"program": bug.file}
    for name in MIX:
        search = None if name == "default" else name
        result = check([str(program)], search=search, bound=bounds.get(name), max_time=seconds, max_executions=5_000, state="none")
        assert result.search is not None, result.verdict
        found[name] = result.search.executions if result.findings else f"not in {result.search.executions}"
    return found


if __name__ == "__main__":
    print(json.dumps([mix_row(bug, 5.0) for bug in BUGS], indent=1))
