"""Two workers against one: how much sooner a search ends (by the clock, on an idle machine), and what sharing costs (processor time).

    python benchmarks/workers.py [--tries 3] [--idle]

The search is that of the mutex counter with five threads, 113,400 traces. The least of several alternated tries. Prints JSON; exits 1
if two workers need more than CPU_LIMIT times the processor time of one, or with --idle if they are not SPEED_UP times as fast.
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

ROOT = Path(__file__).resolve().parents[1]
PROGRAM = ROOT / "benchmarks" / "peers" / "programs" / "mutex.c"
TRACES = 113_400
CPU_LIMIT, SPEED_UP = 1.1, 1.8


def searched(program: str, workers: int) -> tuple[float, float]:
    """Seconds by the clock, and of the processor."""
    options = ["--bound", "none", "--state", "none", "-q", "-j", str(workers), "--json", "/dev/stdout"]
    began, before = time.monotonic(), os.times()
    document = subprocess.run([sys.executable, "-m", "bpor", *options, program], cwd=ROOT, stdout=subprocess.PIPE, check=True).stdout
    after, ended = os.times(), time.monotonic()
    if json.loads(document[document.index(b"{") : document.rindex(b"}") + 1])["distinct_traces"] != TRACES:
        raise SystemExit(f"workers.py: -j {workers} did not find {TRACES} traces")
    return ended - began, after.children_user + after.children_system - before.children_user - before.children_system


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tries", type=int, default=3, help="how often each is measured (default 3)")
    parser.add_argument("--idle", action="store_true", help="nobody else uses the machine: the clock counts")
    chosen = parser.parse_args()
    wall, cpu = {1: float("inf"), 2: float("inf")}, {1: float("inf"), 2: float("inf")}
    with tempfile.TemporaryDirectory() as directory:
        program = str(Path(directory) / "mutex")
        compiler = ROOT / "bpor" / "_native" / "bpor-cc"
        subprocess.run([compiler, "-g", "-O1", "-pthread", "-DTHREADS=5", "-DROUNDS=2", PROGRAM, "-o", program], check=True)
        for _ in range(chosen.tries):
            for workers in wall:
                seconds, spent = searched(program, workers)
                wall[workers], cpu[workers] = min(wall[workers], seconds), min(cpu[workers], spent)
    speed_up, ratio = wall[1] / wall[2], cpu[2] / cpu[1]
    document = {
        "benchmark": "workers",
        "load_average": [round(one, 2) for one in os.getloadavg()],
        "seconds": {str(workers): round(one, 3) for workers, one in wall.items()},
        "cpu_seconds": {str(workers): round(one, 3) for workers, one in cpu.items()},
        "speed_up": {"ratio": round(speed_up, 2), "at_least": SPEED_UP if chosen.idle else None},
        "cpu": {"ratio": round(ratio, 3), "at_most": CPU_LIMIT},
    }
    print(json.dumps(document, indent=2))
    return 0 if ratio <= CPU_LIMIT and (speed_up >= SPEED_UP or not chosen.idle) else 1


if __name__ == "__main__":
    sys.exit(main())
