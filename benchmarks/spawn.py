"""Executions per second of the tool against spawning the same program in a loop, in one run.

Half of the spawning is done before the tool runs and half after it, so that a machine whose load changes treats both alike.
Prints JSON: rates, their ratio and the load average; a ratio below 1 would mean that control costs more than a new process.
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
PROGRAMS = {
    "mutex counter, 3 threads": ("native_tests/correct/mutex/counter.c", ["-DTHREADS=3"]),
    "mutex counter, 4 threads": ("native_tests/correct/mutex/counter.c", ["-DTHREADS=4"]),
    "bounded queue": ("native_tests/correct/condition/queue_two_consumers.c", []),
    "C++ threads": ("native_tests/correct/cpp/thread_and_mutex.cpp", []),
}


def compile_program(source: str, flags: list[str], directory: str) -> Path:
    path = ROOT / source
    executable = Path(directory) / path.stem
    compiler = "g++" if path.suffix == ".cpp" else "cc"
    subprocess.run([compiler, "-g", "-O1", "-pthread", *flags, "-o", executable, path], check=True)
    return executable


def spawn(executable: Path, times: int) -> float:
    """Seconds for that many processes, one after another."""
    null = os.open(os.devnull, os.O_RDWR)
    actions = [(os.POSIX_SPAWN_DUP2, null, descriptor) for descriptor in (0, 1, 2)]
    started = time.perf_counter()
    for _ in range(times):
        os.waitpid(os.posix_spawn(executable, [str(executable)], os.environ, file_actions=actions), 0)
    elapsed = time.perf_counter() - started
    os.close(null)
    return elapsed


def control(executable: Path, executions: int, search: str, directory: str) -> tuple[int, float]:
    """Executions the tool did and the seconds its search took."""
    report = Path(directory) / "report.json"
    options = ["--search", search, "--bound", "none", "--max-executions", str(executions), "--inconclusive=pass", "--quiet"]
    subprocess.run(
        [sys.executable, "-m", "bpor", "run", *options, "--json", report, "--", executable],
        check=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.DEVNULL,
    )
    result: dict[str, Any] = json.loads(report.read_text(encoding="utf-8"))
    return int(result["executions"]), float(result["elapsed_s"])


def compare(source: str, flags: list[str], executions: int, search: str) -> dict[str, float]:
    with tempfile.TemporaryDirectory() as directory:
        executable = compile_program(source, flags, directory)
        spawning = spawn(executable, executions // 2)
        done, seconds = control(executable, executions, search, directory)
        spawning += spawn(executable, executions // 2)
    spawned = executions // 2 * 2 / spawning
    controlled = done / seconds
    return {
        "executions": done,
        "spawned_per_s": round(spawned),
        "controlled_per_s": round(controlled),
        "ratio": round(controlled / spawned, 2),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--executions", type=int, default=1000, help="of each program, each way (default 1000)")
    parser.add_argument("--search", default="random", help="which search drives the tool (default random: it never runs out of executions)")
    options = parser.parse_args()
    rows = {name: compare(source, flags, options.executions, options.search) for name, (source, flags) in PROGRAMS.items()}
    load = [round(one, 2) for one in os.getloadavg()]
    print(
        json.dumps(
            {"benchmark": "spawn", "search": options.search, "load_average": load, "processors": os.cpu_count(), "programs": rows}, indent=2
        )
    )


if __name__ == "__main__":
    main()
