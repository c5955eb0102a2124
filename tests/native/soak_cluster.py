"""`python -m tests.native.soak_cluster SECONDS [SEED [PROGRAMS]]`: random C programs and those of native_tests, searched by one process and
by clusters of 1, 2, 4 and 8 workers: the same counts, kinds of findings and verdict, word by word. `random` for SECONDS: PROGRAMS (200)
random programs, each by all four clusters without known steps, and by one of them with; `all`: and every program of native_tests.

Executions and steps are compared within bounds and without known steps: whom a table spares an execution depends on whose table it is, and
the default search alternates between two trees (docs/cluster.md). As long as it is told to run, every member is repeated by another one,
and none may be said to lie.

Prints what differs, and exits 1 if anything does.
"""

from __future__ import annotations

import random
import re
import sys
import tempfile
import time
from collections.abc import Iterable, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from bpor.cluster import jury, recovering, remote
from bpor.search.engine import beside_tree
from tests.native.compiled import compiled
from tests.native.expectations import Program
from tests.native.test_cluster import make_cluster, on_cluster
from tests.native.test_programs import ALL
from tests.native.test_programs_against_model import build
from tests.native.tool import Run, run_inside

SIZES = (1, 2, 4, 8)
DEFAULT = ""  # search: no bound is given
BOUNDS = (DEFAULT, "none", "preemption:1", "preemption:2", "fair:2,preemption:1")
RANDOM = 200  # programs, if all are to be compared
PLAIN = [one for one in ALL if not one.args and not one.options and one.expectations]
MOST = 5000  # executions of a search that is compared
COUNTED = ("verdict", "statement", "threads")
COUNTED_IN_TRACES = ("distinct_traces", "local_states")  # of a search that does not recognise states
COUNTED_WITHOUT_TABLE = ("executions", "steps", "redundant", "over_bound", "cut", "levels")
LIMITED = ("--max-executions", str(MOST), "--max-time", "60s", "--keep-going")


def facts(run: Run, counted: Sequence[str]) -> Any:
    """Whatever a search tells that does not depend on who did which part of it, nor on the numbers of processes. Estimates do."""
    counted = [name for name in counted if not run.report.get(f"{name}_estimated")]
    varies = r"\[\d+\]" if "executions" in counted or not run.report["matched"] else r"\[\d+\]|found in \d+ executions?"
    return run.exit_code, run.kinds, *(re.sub(varies, "", str(run.report.get(name))) for name in counted)


def ended(run: Run) -> bool:
    return run.exit_code in (0, 1) and run.report["executions"] < MOST and all(level["complete"] for level in run.report["levels"])


def random_program(draw: random.Random, directory: Path) -> Path:
    return Path(build(draw.randrange(1 << 30), directory)[1])


def built(program: Program) -> Path:
    defines = [f"-D{define}" for define in program.expectations[0].defines]
    return compiled(program.path, [*program.flags, *defines], program.instrumented)


class Comparison:
    """The clusters, what was compared by how many workers, and what differed."""

    def __init__(self) -> None:
        self._clusters = {size: make_cluster(size) for size in SIZES}
        self._tried = dict.fromkeys(SIZES, 0)
        self._slow = 0
        self._found: list[str] = []

    def of(self, program: Path, bound: str, known_steps: bool, sizes: Sequence[int]) -> None:
        options = (*(["--bound", bound] if bound else []), *([] if known_steps else ["--no-known-steps"]), *LIMITED)
        alone = run_inside(program, (), ["--state", "none", *options])
        if not ended(alone):
            return
        counted = [*COUNTED, *([] if alone.report["matched"] else COUNTED_IN_TRACES)]
        counted += COUNTED_WITHOUT_TABLE if bound and not known_steps else ()
        for size in sizes:
            there = on_cluster(program, self._clusters[size].scheduler_address, *options)
            if not ended(there) and (there.exit_code == alone.exit_code or "--max-time" in there.report["statement"]):
                self._slow += 1  # a machine that is busy: what was not searched is not compared
                continue
            self._tried[size] += 1
            before, now = facts(alone, counted), facts(there, counted)
            if before != now or "lied" in there.stdout:
                self._found.append(f"{program} {' '.join(options)}: {before} alone, {now} by {size} workers: {there.stderr}")
                print(self._found[-1], flush=True)

    def end(self) -> int:
        for cluster in self._clusters.values():
            cluster.close()
        print(f"comparisons, by workers: {self._tried}; {len(self._found)} differences; not in time: {self._slow}")
        return bool(self._found)


def compare_for(seconds: float, draw: random.Random, directory: Path, comparison: Comparison) -> None:
    jury.SHARE, recovering.INTERVAL, recovering.TURN = 1, 0.0, 0.5  # type: ignore[misc]  # everybody is repeated, and lots are drawn often
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        program = random_program(draw, directory) if draw.random() < 0.5 else built(draw.choice(PLAIN))
        comparison.of(program, draw.choice(BOUNDS), draw.random() < 0.5, [draw.choice(SIZES)])


def compare_each(programs: Iterable[Path], draw: random.Random, comparison: Comparison) -> None:
    for program in programs:
        bound = draw.choice(BOUNDS)
        comparison.of(program, bound, False, SIZES)
        comparison.of(program, bound, True, [draw.choice(SIZES)])


def main(how_long: str, seed: int, programs: int) -> int:
    if find_spec("distributed") is None:
        print("clusters are not compared: needs dask.distributed (pip install 'bpor-native[cluster]')")
        return 0
    remote._SLOWER, beside_tree._SHORT = 1, 0.0001  # type: ignore[misc]  # short batches: more is handed out
    draw, comparison = random.Random(seed), Comparison()
    with tempfile.TemporaryDirectory() as directory:
        if how_long in ("random", "all"):
            compare_each((random_program(draw, Path(directory)) for _ in range(programs)), draw, comparison)
            compare_each(map(built, PLAIN if how_long == "all" else ()), draw, comparison)
        else:
            compare_for(float(how_long), draw, Path(directory), comparison)
    return comparison.end()


if __name__ == "__main__":
    given = dict(enumerate(sys.argv))
    sys.exit(main(given[1], int(given.get(2, time.time())), int(given.get(3, RANDOM))))
