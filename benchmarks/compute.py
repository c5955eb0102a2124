"""What control costs a program that computes: processor time per execution, under control and by itself.

The test does a millisecond of plain work in one thread, between locks that another thread wants as well. Prints JSON; every ratio within
one run, in processor seconds of everybody involved (the controller's too), so that other people's load does not count.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from bpor.search.bounds import parse_bound  # noqa: E402
from bpor.search.budget import Budget  # noqa: E402
from bpor.search.explorer import Explorer  # noqa: E402
from bpor.search.options import SearchOptions  # noqa: E402
from bpor.search.registry import make_strategy  # noqa: E402
from bpor.target.exploring import ExploringExecutor  # noqa: E402
from bpor.target.options import TargetOptions  # noqa: E402

WORK = 0.001  # seconds per execution
LIMIT = 1.3
PROGRAM = """
#include <pthread.h>
#include <stdlib.h>
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static unsigned words[8192];
static long rounds;
static void meet(void)
{
    pthread_mutex_lock(&mutex);
    words[0]++;
    pthread_mutex_unlock(&mutex);
}
static void *compute(void *unused)
{
    meet();
    for (long i = 0; i < rounds; i++)
        words[i % 8192] = words[(i * 7 + 1) % 8192] * 2654435761u + (unsigned)i;
    meet();
    return unused;
}
static void *disturb(void *unused)
{
    meet();
    meet();
    return unused;
}
static void test(void)
{
    pthread_t one, other;
    pthread_create(&one, NULL, compute, NULL);
    pthread_create(&other, NULL, disturb, NULL);
    pthread_join(one, NULL);
    pthread_join(other, NULL);
}
int main(int argc, char **argv)
{
    rounds = argc > 1 ? atol(argv[1]) : 0;
    for (long left = argc > 2 ? atol(argv[2]) : 1; left > 0; left--)
        test();
    return 0;
}
"""


def processor_seconds(act: Callable[[], object]) -> float:
    def now() -> float:
        usages = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
        return sum(usage.ru_utime + usage.ru_stime for usage in usages)

    before = now()
    act()
    return now() - before


def alone(program: str, rounds: int, times: int) -> float:
    """Seconds per test, without the start of the process."""

    def run(repetitions: int) -> float:
        return processor_seconds(lambda: subprocess.run([program, str(rounds), str(repetitions)], check=True))

    return (run(times) - run(0)) / times


def under_control(engine: str, program: str, rounds: int, seconds: float) -> tuple[float, int]:
    """Seconds per execution, the start of the target included, and how many there were."""
    executions = 0

    def search() -> None:
        nonlocal executions
        with ExploringExecutor([program, str(rounds)], TargetOptions(reset="rollback")) as executor:
            spent = 0.0
            while spent < seconds:
                strategy = make_strategy("dpor", parse_bound("none"), SearchOptions(engine=engine))
                result = Explorer(executor, strategy, Budget(max_seconds=max(seconds - spent, 0.01))).run()
                executions += result.executions
                spent += result.seconds
            assert executor.mode.rollback, executor.reason

    taken = processor_seconds(search)
    return taken / executions, executions


def measure(seconds: float) -> dict[str, object]:
    with tempfile.TemporaryDirectory() as directory:
        source, program = Path(directory) / "compute.c", str(Path(directory) / "compute")
        source.write_text(PROGRAM)
        subprocess.run(["cc", "-g", "-O1", "-pthread", "-o", program, source], check=True)
        per_round = alone(program, 1_000_000, 20) / 1_000_000
        rounds, times = int(WORK / per_round), max(20, int(seconds / WORK / 2))
        before = alone(program, rounds, times)
        controlled = {engine: under_control(engine, program, rounds, seconds) for engine in ("native", "python")}
        by_itself = (before + alone(program, rounds, times)) / 2
    figures: dict[str, object] = {"alone_us": round(by_itself * 1e6, 1)}
    for engine, (each, executions) in controlled.items():
        figures[engine] = {"executions": executions, "us_per_execution": round(each * 1e6, 1), "ratio": round(each / by_itself, 3)}
    return figures


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=4.0, help="per measurement (default 4)")
    figures = measure(parser.parse_args().seconds)
    load = [round(one, 2) for one in os.getloadavg()]
    print(json.dumps({"benchmark": "compute", "load_average": load, "limit": LIMIT, **figures}, indent=2))
    native = figures["native"]
    assert isinstance(native, dict)
    return 0 if native["ratio"] <= LIMIT else 1


if __name__ == "__main__":
    sys.exit(main())
