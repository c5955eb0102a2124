"""Memory of the controller and of the target while executions go by, a million of one search by default, beside the program.

    python benchmarks/endurance.py [--executions 1000000]

Prints JSON: resident KiB of both, early and at the end. `own` is what a process has for itself, which must not grow; `shared` is the
mapping that holds the search: 8 bytes for every distinct trace and local state, up to a cap, and the tree, which is as large as it is deep.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from bpor.model.exploration import Exploration, TreeOrder  # noqa: E402
from bpor.model.plan import Limits, Plan  # noqa: E402
from bpor.target.exploring import ExploringExecutor  # noqa: E402
from bpor.target.options import TargetOptions  # noqa: E402

COUNTER = ROOT / "native_tests/correct/mutex/counter.c"
EARLY = 10_000
ALLOWED = 1024  # KiB that `own` may grow by: caches that fill late


def resident(process: int) -> dict[str, int]:
    status = Path(f"/proc/{process}/status").read_text("utf-8")
    own, shared = (int(status.split(f"{name}:")[1].split()[0]) for name in ("RssAnon", "RssShmem"))
    return {"own_kib": own, "shared_kib": shared}


def sample(executor: ExploringExecutor, executions: int) -> dict[str, Any]:
    assert executor._target is not None
    return {"executions": executions, "controller": resident(os.getpid()), "target": resident(executor._target.process.pid)}


def endure(argv: list[str], executions: int, reset: str = "rollback") -> list[dict[str, Any]]:
    """One search of so many executions, looked at when EARLY are done and at the end."""
    samples: list[dict[str, Any]] = []
    order: TreeOrder | None = TreeOrder(Limits(), max_steps=20_000)
    done = 0
    with ExploringExecutor(argv, TargetOptions(reset=reset)) as executor:
        for goal in (min(EARLY, executions // 10), executions):
            while done < goal:
                begins = order is not None
                part = Exploration((True, False), (order, None), begin_total=begins, executions=goal - done, seconds=0.5)
                batch = executor.run(Plan(exploration=part)).batch
                assert batch is not None and not batch.trees[0].finished, "the tree is too small"
                done, order = done + batch.executions, None
            samples.append(sample(executor, done))
    return samples


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--executions", type=int, default=1_000_000)
    executions = parser.parse_args().executions
    with tempfile.TemporaryDirectory() as directory:
        program = str(Path(directory) / "counter")
        subprocess.run(["cc", "-g", "-O1", "-pthread", "-DTHREADS=6", "-o", program, COUNTER], check=True)
        started = time.perf_counter()
        early, late = endure([program], executions)
        seconds = time.perf_counter() - started
    grown = {who: late[who]["own_kib"] - early[who]["own_kib"] for who in ("controller", "target")}
    load = [round(one, 2) for one in os.getloadavg()]
    figures = {"early": early, "late": late, "own_grown_kib": grown, "us_per_execution": round(seconds / late["executions"] * 1e6, 1)}
    print(json.dumps({"benchmark": "endurance", "load_average": load, **figures}, indent=2))
    return 0 if max(grown.values()) <= ALLOWED else 1


if __name__ == "__main__":
    sys.exit(main())
