"""Workers of a cluster beside `-j`, by the clock: prints a table, or JSON, and `--update` puts it into docs/cluster.md. On a machine that
does nothing else, or the figures mean nothing: it says so and measures nothing.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from dataclasses import asdict, dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from benchmarks.cluster import built  # noqa: E402

PAGE, BEGIN, END = ROOT / "docs" / "cluster.md", "<!-- by the clock -->\n", "<!-- end -->\n"
PROGRAM, DEFINES, BOUND = "correct/mutex/counter.c", ["-DTHREADS=6"], "preemption:3"
WAYS = (("-j", "1"), ("-j", "2"), ("--cluster", "local:1"), ("--cluster", "local:2"))
BUSY = 0.5  # load


def seconds_of(program: str, bound: str, way: tuple[str, str]) -> tuple[int, float, float]:
    """Executions, seconds of the search, and seconds of the whole command."""
    with tempfile.NamedTemporaryFile(suffix=".json") as report:
        words = [sys.executable, "-m", "bpor", "run", *way, "--bound", bound, "--no-known-steps", "--state", "none", "-q"]
        begun = time.monotonic()
        subprocess.run([*words, "--json", report.name, "--", program], cwd=ROOT, capture_output=True, check=True)
        whole = time.monotonic() - begun
        told = json.loads(Path(report.name).read_text("utf-8"))
    return told["executions"], told["elapsed_s"], whole


@dataclass(frozen=True)
class Row:
    way: str
    executions: int
    search: float  # seconds
    whole: float  # seconds
    speed_up: float  # times `-j 1`


def rows_of(program: str, bound: str, tries: int) -> list[Row]:
    """All ways in turn, again and again, so that what the machine does meanwhile is shared; the best of each."""
    told = [[seconds_of(program, bound, way) for way in WAYS] for _ in range(tries)]
    best = [min(column, key=lambda one: one[1]) for column in zip(*told, strict=True)]
    return [Row(" ".join(way), *one, best[0][1] / one[1]) for way, one in zip(WAYS, best, strict=True)]


def table(rows: list[Row]) -> str:
    lines = ["| | executions | search | with start and end | times `-j 1` |", "|---|---|---|---|---|"]
    lines += [f"| `{row.way}` | {row.executions:,} | {row.search:.1f} s | {row.whole:.1f} s | {row.speed_up:.2f} |" for row in rows]
    return "\n".join(lines) + "\n"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--update", action="store_true", help="put the table into docs/cluster.md")
    parser.add_argument("--bound", default=BOUND)
    parser.add_argument("--tries", type=int, default=3, help="the best of so many")
    parser.add_argument("--busy", action="store_true", help="although others use the machine; nothing is updated")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    if os.getloadavg()[0] > BUSY and not given.busy:
        print(f"the load is {os.getloadavg()[0]:.2f}: wait until the machine is idle", file=sys.stderr)
        return 1
    with tempfile.TemporaryDirectory() as directory:
        rows = rows_of(built(Path(directory), PROGRAM, DEFINES), given.bound, given.tries)
    text = table(rows)
    print(json.dumps([asdict(row) for row in rows]) if given.json else text.rstrip())
    if given.update and not given.busy:
        before, _, rest = PAGE.read_text("utf-8").partition(BEGIN)
        PAGE.write_text(before + BEGIN + text + END + rest.partition(END)[2], "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
