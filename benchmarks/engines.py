"""What an execution costs, by engine and by how the program is reset, against spawning the same binary; every ratio within one run.

Prints JSON: µs per execution and per new event of both engines, how many of them are processor time of the controller and of the target,
ratios, and what a second process gains. The load average stands beside it: on a busy machine compare ratios, not times. How time grows with
length and memory with executions: length.py, endurance.py.
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

from bpor.model.plan import Plan  # noqa: E402
from bpor.search.bounds import parse_bound  # noqa: E402
from bpor.search.budget import Budget  # noqa: E402
from bpor.search.explorer import Explorer  # noqa: E402
from bpor.search.options import SearchOptions  # noqa: E402
from bpor.search.registry import make_strategy  # noqa: E402
from bpor.target.crew import Crew, crew_here  # noqa: E402
from bpor.target.exploring import ExploringExecutor  # noqa: E402
from bpor.target.options import TargetOptions  # noqa: E402

COUNTER = ROOT / "native_tests" / "correct" / "mutex" / "counter.c"


def compile_program(source: Path, directory: str, *flags: str) -> str:
    executable = Path(directory) / source.stem
    subprocess.run(["cc", "-g", "-O1", "-pthread", *flags, "-o", executable, source], check=True)
    return str(executable)


def spawn(executable: str, seconds: float) -> float:
    """Seconds per process, one after another."""
    null, times, started = os.open(os.devnull, os.O_RDWR), 0, time.perf_counter()
    actions = [(os.POSIX_SPAWN_DUP2, null, descriptor) for descriptor in (0, 1, 2)]
    while time.perf_counter() - started < seconds:
        os.waitpid(os.posix_spawn(executable, [executable], os.environ, file_actions=actions), 0)
        times += 1
    elapsed = time.perf_counter() - started
    os.close(null)
    return elapsed / times


def search(engine: str, argv: list[str], reset: str, seconds: float) -> dict[str, float]:
    """An unbounded search, again and again until time is up."""
    executions = steps = 0
    spent = 0.0
    with ExploringExecutor(argv, TargetOptions(reset=reset)) as executor:
        executor.run(Plan(stop_after_prefix=True))
        controller, target = time.process_time(), processor_time(executor)
        while spent < seconds:
            strategy = make_strategy("dpor", parse_bound("none"), SearchOptions(engine=engine))
            result = Explorer(executor, strategy, Budget(max_seconds=max(seconds - spent, 0.01))).run()
            executions += result.counts.executions
            steps += result.counts.steps
            spent += result.seconds
        controller, target = time.process_time() - controller, processor_time(executor) - target
    return {
        "executions": executions,
        "us_per_execution": round(spent / executions * 1e6, 2),
        "us_per_new_event": round(spent / steps * 1e6, 2),
        "us_of_controller": round(controller / executions * 1e6, 2),
        "us_of_target": round(target / executions * 1e6, 2),  # by fork: of the template alone
    }


def crews(directory: str) -> dict[str, Any]:
    """Executions per second of one tree, by one process of the program and by two."""
    executable = compile_program(COUNTER, directory, "-DTHREADS=6")
    rates: dict[int, float] = {}
    busiest: dict[int, float] = {}
    for workers in (1, 2, 1, 2):  # the better of two
        options = SearchOptions(engine="native", workers=workers)
        with crew_here([executable], None, None, 2) if workers == 2 else ExploringExecutor([executable]) as executor:
            before = time.process_time()
            result = Explorer(executor, make_strategy("dpor", parse_bound("none"), options), Budget(max_executions=300_000)).run()
            members = executor._members if isinstance(executor, Crew) else [executor]
            spent = time.process_time() - before + max(processor_time(member) for member in members)
        rates[workers] = max(rates.get(workers, 0.0), result.executions / result.seconds)
        busiest[workers] = min(busiest.get(workers, spent), spent)
    return {
        "program": "mutex counter, 6 threads, unbounded, the first 300,000 executions",
        "load_average": [round(one, 2) for one in os.getloadavg()],
        "executions": result.executions,
        "one_per_second": round(rates[1]),
        "two_per_second": round(rates[2]),
        "ratio": round(rates[2] / rates[1], 2),
        "ratio_by_processor_time": round(busiest[1] / busiest[2], 2),  # of controller and busiest process
    }


def processor_time(executor: ExploringExecutor) -> float:
    """Seconds of an executor's target."""
    assert executor._target is not None
    return int(Path(f"/proc/{executor._target.process.pid}/schedstat").read_text().split()[0]) / 1e9


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=3.0, help="per measurement (default 3)")
    seconds = parser.parse_args().seconds
    with tempfile.TemporaryDirectory() as directory:
        executable = compile_program(COUNTER, directory, "-DTHREADS=4")
        before = spawn(executable, seconds / 2)
        native = search("native", [executable], "rollback", seconds)
        python = search("python", [executable], "rollback", seconds)
        forked = search("native", [executable], "fork", seconds)
        spawned = (before + spawn(executable, seconds / 2)) / 2 * 1e6
        document = {
            "benchmark": "engines",
            "program": "mutex counter, 4 threads, unbounded",
            "load_average": [round(one, 2) for one in os.getloadavg()],
            "processors": os.cpu_count(),
            "spawn_us": round(spawned, 1),
            "native": native,
            "python": python,
            "native_by_fork": forked,
            "ratios": {
                "native engine against spawning": round(spawned / native["us_per_execution"], 1),
                "python engine against spawning": round(spawned / python["us_per_execution"], 1),
                "native engine against python engine": round(python["us_per_execution"] / native["us_per_execution"], 1),
                "rollback against fork, native engine": round(forked["us_per_execution"] / native["us_per_execution"], 1),
            },
            "crew": crews(directory),
        }
    print(json.dumps(document, indent=2))


if __name__ == "__main__":
    main()
