"""What instrumentation costs: nanoseconds per callback of a plain access, and a compute-heavy program under control against alone.

Three builds of one program that makes 10^8 plain accesses in two threads, synchronised now and then: not instrumented, instrumented
and run alone (the stub's empty callbacks), instrumented and run under control (every access checked for races). Times are processor
seconds of the target, the best of three runs. And what a step of atomic accesses costs in the memory of C11, and while it is only watched
for, against sequentially consistent memory: a depth-first search of so many executions, less the time of one.
Prints JSON; exits 1 if control costs more than LIMIT times the instrumented program alone, or a step more than WEAK_LIMIT times.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from bpor.model.plan import Plan  # noqa: E402
from bpor.target.executor import NativeExecutor  # noqa: E402
from bpor.target.options import TargetOptions  # noqa: E402

ACCESSES = 100_000_000
RUNS = 3
LIMIT = 15.0  # times the instrumented program's own time
WEAK_LIMIT = 1.3  # times a step in sequentially consistent memory
EXECUTIONS, ROUNDS = 20_000, 20
STEPS = """
#include <pthread.h>
#include <stdatomic.h>
static atomic_int a, b;
static void *run(void *unused)
{
    for (int i = 0; i < %d; i++) {
        atomic_store_explicit(&a, i, memory_order_release);
        atomic_load_explicit(&b, memory_order_acquire);
    }
    return unused;
}
int main(void)
{
    pthread_t thread[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&thread[i], NULL, run, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
    return 0;
}
"""
PROGRAM = """
#include <pthread.h>
#include <stdio.h>
enum { WORDS = 4096, ROUNDS = %d };
static long words[2][WORDS];
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static long total;
static void *sum(void *argument)
{
    long *mine = argument, result = 0;
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < WORDS; i++) {
            mine[i] += i ^ round; /* a read and a write */
            result += mine[(i * 7) %% WORDS];
        }
        if (round %% 1000 == 0) {
            pthread_mutex_lock(&mutex);
            total += result;
            pthread_mutex_unlock(&mutex);
        }
    }
    return NULL;
}
int main(void)
{
    pthread_t thread[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&thread[i], NULL, sum, words[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
    printf("%%ld\\n", total);
    return 0;
}
"""
PER_ROUND = 2 * 4096 * 3


def build(directory: Path, compiler: str, name: str) -> Path:
    source = directory / "sum.c"
    source.write_text(PROGRAM % (ACCESSES // PER_ROUND))
    program = directory / name
    subprocess.run([compiler, "-O1", "-g", "-pthread", source, "-o", program], check=True)
    return program


def processor_seconds(act: object) -> float:
    assert callable(act)
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    act()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (after.ru_utime + after.ru_stime) - (before.ru_utime + before.ru_stime)


def alone(program: Path) -> float:
    return min(processor_seconds(lambda: subprocess.run([program], check=True, stdout=subprocess.DEVNULL)) for _ in range(RUNS))


def under_control(program: Path, races: str) -> float:
    def one() -> None:
        with NativeExecutor([str(program)], TargetOptions(watchdog=120, races=races)) as executor:
            trace = executor.run(Plan())
            assert trace.end.outcome.value == "passed", trace.end

    return min(processor_seconds(one) for _ in range(RUNS))


def step_costs(directory: Path) -> dict[str, float]:
    """Nanoseconds of a step in each memory, and how many times the first."""
    source, program = directory / "steps.c", directory / "steps"
    source.write_text(STEPS % ROUNDS)
    subprocess.run([str(ROOT / "bpor/_native/bpor-cc"), "-O1", "-g", "-pthread", source, "-o", program], check=True)

    def search(memory: str, executions: int) -> float:
        options = ["-q", "--state=none", "--search=dfs", "--bound=none", f"--max-executions={executions}", f"--memory={memory}"]
        command = [sys.executable, "-m", "bpor", *options, str(program)]
        return min(processor_seconds(lambda: subprocess.run(command, cwd=ROOT, stdout=subprocess.DEVNULL)) for _ in range(RUNS))

    steps = EXECUTIONS * (4 * ROUNDS + 4)
    costs = {memory: (search(memory, EXECUTIONS) - search(memory, 1)) / steps * 1e9 for memory in ("sc", "auto", "c11")}
    figures = {f"ns_per_step_{memory}": round(cost, 1) for memory, cost in costs.items()}
    return figures | {f"{memory}_against_sc": round(costs[memory] / costs["sc"], 2) for memory in ("auto", "c11")}


def measure() -> dict[str, float]:
    with tempfile.TemporaryDirectory() as name:
        directory = Path(name)
        plain = alone(build(directory, os.environ.get("CC", "gcc"), "plain"))
        program = build(directory, str(ROOT / "bpor/_native/bpor-cc"), "instrumented")
        by_itself, checked, unchecked = alone(program), under_control(program, "report"), under_control(program, "off")
        steps = step_costs(directory)
    accesses = ACCESSES // PER_ROUND * PER_ROUND
    return {
        "accesses": accesses,
        "seconds_not_instrumented": round(plain, 3),
        "seconds_instrumented_alone": round(by_itself, 3),
        "seconds_under_control": round(checked, 3),
        "seconds_under_control_races_off": round(unchecked, 3),
        "ns_per_callback_alone": round((by_itself - plain) / accesses * 1e9, 2),
        "ns_per_callback_under_control": round((checked - plain) / accesses * 1e9, 2),
        "ns_per_callback_under_control_races_off": round((unchecked - plain) / accesses * 1e9, 2),
        "slowdown": round(checked / by_itself, 2),
        "limit": LIMIT,
        **steps,
        "weak_limit": WEAK_LIMIT,
    }


def main() -> int:
    figures = measure()
    load = [round(one, 2) for one in os.getloadavg()]
    print(json.dumps({"benchmark": "callback_cost", "load_average": load, "figures": figures}, indent=1))
    return 0 if figures["slowdown"] <= LIMIT and figures["c11_against_sc"] <= WEAK_LIMIT else 1


if __name__ == "__main__":
    sys.exit(main())
