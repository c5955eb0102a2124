"""`python -m tests.native.soak_cluster SECONDS [SEED]`: random C programs and those of native_tests, searched by one process and by
clusters of 1, 2, 4 and 8 workers: the same counts, kinds of findings and verdict.

Executions and steps, and with them the words of the verdict, are compared without known steps: whom a table spares an execution depends on
whose table it is (docs/cluster.md). Every member is repeated by another one, and none of them may be said to lie.

Prints what differs, and exits 1 if anything does.
"""

from __future__ import annotations

import random
import re
import sys
import tempfile
import time
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from bpor.cluster import jury, recovering, remote
from tests.native.compiled import compiled
from tests.native.test_cluster import make_cluster, on_cluster
from tests.native.test_programs import ALL
from tests.native.test_programs_against_model import build
from tests.native.tool import Run, run_inside

SIZES = (1, 2, 4, 8)
BOUNDS = ("none", "preemption:1", "preemption:2", "fair:2,preemption:1")
MOST = 5000  # executions of a search that is compared
COUNTED = ("verdict", "distinct_traces", "local_states", "threads")
COUNTED_WITHOUT_TABLE = ("executions", "steps", "redundant", "over_bound", "cut", "levels", "statement")
LIMITED = ("--max-executions", str(MOST), "--max-time", "20s", "--keep-going")


def facts(run: Run, counted: Sequence[str]) -> Any:
    """Whatever a search tells that does not depend on who did which part of it, nor on the numbers of processes. Estimates do."""
    counted = [name for name in counted if not run.report.get(f"{name}_estimated")]
    return run.exit_code, run.kinds, *(re.sub(r"\[\d+\]", "", str(run.report.get(name))) for name in counted)


def some_program(draw: random.Random, directory: Path) -> Path:
    if draw.random() < 0.5:
        return Path(build(draw.randrange(1 << 30), directory)[1])
    program = draw.choice([one for one in ALL if not one.args and not one.options and one.expectations])
    defines = [f"-D{define}" for define in program.expectations[0].defines]
    return compiled(program.path, [*program.flags, *defines], program.instrumented)


def main(seconds: float, seed: int) -> int:
    if find_spec("distributed") is None:
        print("clusters are not compared: needs dask.distributed (pip install 'bpor-native[cluster]')")
        return 0
    draw, deadline = random.Random(seed), time.monotonic() + seconds
    remote._SLOWER = 1  # type: ignore[misc]  # short batches: more is handed out
    jury.SHARE, recovering.INTERVAL, recovering.TURN = 1, 0.0, 0.5  # type: ignore[misc]  # everybody is repeated, and lots are drawn often
    tried, found = dict.fromkeys(SIZES, 0), []
    clusters = {size: make_cluster(size) for size in SIZES}
    with tempfile.TemporaryDirectory() as directory:
        while time.monotonic() < deadline:
            program, bound, size = some_program(draw, Path(directory)), draw.choice(BOUNDS), draw.choice(SIZES)
            options, counted = ((), COUNTED) if draw.random() < 0.5 else (("--no-known-steps",), (*COUNTED, *COUNTED_WITHOUT_TABLE))
            options = ("--bound", bound, *options, *LIMITED)
            alone = run_inside(program, (), ["--state", "none", *options])
            if alone.exit_code not in (0, 1) or alone.report["executions"] >= MOST:
                continue
            there = on_cluster(program, clusters[size].scheduler_address, *options)
            tried[size] += 1
            before, now = facts(alone, counted), facts(there, counted)
            if before != now or "lied" in there.stdout:
                found.append(f"{program} {' '.join(options)}: {before} alone, {now} by {size} workers: {there.stderr}")
    for cluster in clusters.values():
        cluster.close()
    print(f"programs compared, by workers: {tried}; {len(found)} differences", *found, sep="\n")
    return bool(found)


if __name__ == "__main__":
    sys.exit(main(float(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else int(time.time())))
