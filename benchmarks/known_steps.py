"""Executions for each trace within a bound, on native programs: with known steps and without. Prints JSON.

    python benchmarks/known_steps.py [--seconds 20] [--quick]

For each program and bound: how many traces there are within it, how many executions it took to see them all, how many of those only
compared (`checked`), how many runs needed none (`walked`), and the same of a search that executes every run (null: it did not end in time).
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from bpor.api import check
from bpor.report.result import Result

SOURCE = Path(__file__).with_suffix(".c")
COMPILER = SOURCE.parents[1] / "bpor" / "_native" / "bpor-cc"
# program, threads, preemption bounds
ROWS: tuple[tuple[str, int, tuple[int, ...]], ...] = (
    ("ordered-philosophers", 7, (1, 2, 3)),
    ("ordered-philosophers", 10, (1, 2)),
    ("ordered-philosophers", 12, (2,)),
    ("philosophers", 8, (0, 1, 2)),
    ("work-stealing", 2, (1, 2, 3)),
    ("last-zero", 5, (2,)),
    ("file-system", 15, (2,)),
    ("indexer", 13, (1, 2)),
    ("counter", 4, (2, 3)),
    ("lost-update", 3, (2, 3)),
    ("readers", 5, (2, 3)),
    ("computing", 3, (2,)),
)
QUICK = (("ordered-philosophers", 6, (1,)), ("work-stealing", 2, (2,)))


def build(directory: Path) -> Path:
    program = directory / "known_steps"
    subprocess.run([str(COMPILER), "-O1", "-g", "-pthread", str(SOURCE), "-o", str(program)], check=True)
    return program


def row(program: Path, name: str, threads: int, bound: int, seconds: float) -> dict[str, Any]:
    known, anew = (
        check(
            [str(program), name, str(threads)],
            bound=f"preemption:{bound}",
            known_steps=knows,
            keep_going=True,
            max_time=seconds,
            max_executions=100_000,
        )
        for knows in (True, False)
    )
    search = known.search
    assert search is not None, known.verdict
    counts = search.counts
    return {
        "program": f"{name} {threads}",
        "preemptions": bound,
        "traces": counts.distinct_traces if search.exhausted else None,
        "executions": search.executions,
        "checked": counts.checked,
        "walked": counts.walked,
        "seconds": round(search.seconds, 2),
        "without": _executions(anew),
    }


def _executions(result: Result) -> int | None:
    return result.search.executions if result.search is not None and result.search.exhausted else None


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=20.0, help="of each search")
    parser.add_argument("--quick", action="store_true", help="small programs only")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as directory:
        program = build(Path(directory))
        cases = [(name, threads, bound) for name, threads, bounds in (QUICK if arguments.quick else ROWS) for bound in bounds]
        print(json.dumps([row(program, *case, arguments.seconds) for case in cases], indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
