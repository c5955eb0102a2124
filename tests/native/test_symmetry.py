"""--symmetry on native programs: the runtime holds back the threads that the model of it does, and refuses who tells them apart.

`python -m tests.native.test_symmetry SECONDS [SEED]` goes on with other programs for as long as asked (make soak).
"""

from __future__ import annotations

import random
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from bpor.search.options import SearchOptions
from bpor.simulate.coverage import Coverage
from bpor.simulate.executor import SimulatedExecutor
from tests.native.compiled import PROGRAMS, ROOT, compiled
from tests.native.tool import Run, run_inside
from tests.property.symmetric_trial import Copies
from tests.property.trial import Unfinished, run_search

pytestmark = pytest.mark.needs("gcc")
Compile = Callable[..., Path]

FIXED = [
    Copies("W x | R x; W y", (2, 2)),  # two reads of one value, which two writers wrote
    Copies("lock m; RMW x; unlock m | R x; CAS x; if W y", (2, 2)),
]
SEEDS = range(2)

_PROLOGUE = """
#include <pthread.h>
#include <stdatomic.h>
static pthread_mutex_t m __attribute__((unused)) = PTHREAD_MUTEX_INITIALIZER;
static atomic_long x __attribute__((unused)), y __attribute__((unused));
"""
_MAIN = """
enum { THREADS = sizeof body / sizeof *body };
int main(void)
{
    pthread_t thread[THREADS];
    for (int i = 0; i < THREADS; i++)
        pthread_create(&thread[i], NULL, body[i], NULL);
    for (int i = 0; i < THREADS; i++)
        pthread_join(thread[i], NULL);
    return 0;
}
"""


def draw(source: random.Random) -> Copies:
    """What native programs and the notation both have, every access at a place of its own."""

    def access() -> str:
        verb = source.choice(["R", "R", "R", "W", "if W", "RMW", "CAS"])
        return f"{verb} {source.choice('xxy')}"

    times = source.choice(((2,), (3,), (2, 1), (2, 2), (1, 2)))
    lengths = [source.randint(1, 3 if sum(times) > 2 else 4) for _ in times]
    bodies = [[access() for _ in range(length)] for length in lengths]
    for body in bodies:
        if source.random() < 0.3:
            at = source.randint(0, len(body))
            body[at:at] = ["lock m"]
            body.append("unlock m")
    return Copies(" | ".join("; ".join(body) for body in bodies), times, with_main=True)


def _call(words: list[str], value: int) -> str:
    """`last` is what the notation takes for it: writes and unlocks tell nothing."""
    verb, *arguments = words
    if verb == "if":
        return f"if (last) {_call(arguments, value)}"
    place = f"&{arguments[0]}"
    return {
        "R": f"last = atomic_load({place});",
        "W": f"atomic_store({place}, {value});",
        "RMW": f"last = atomic_fetch_add({place}, 1);",
        "CAS": f"{{ last = 0; atomic_compare_exchange_strong({place}, &last, {value}); }}",
        "lock": f"{{ pthread_mutex_lock({place}); last = 1; }}",
        "unlock": f"pthread_mutex_unlock({place});",
    }[verb]


def c_source(copies: Copies) -> str:
    bodies = ""
    for number, text in enumerate(copies.text.split(" | ")):
        calls = " ".join(_call(each.split(), 1 + 64 * number + index) for index, each in enumerate(text.split("; ")))
        bodies += f"static void *t{number}(void *unused) {{ long last = 0; {calls} (void)last; return unused; }}\n"
    names = ", ".join(f"t{number}" for number, times in enumerate(copies.times) for _ in range(times))
    return f"{_PROLOGUE}{bodies}static void *(*const body[])(void *) = {{{names}}};{_MAIN}"


def differences(copies: Copies, directory: Path) -> Iterator[str]:
    source = directory / "program.c"
    source.write_text(c_source(copies))
    program = compiled(source, instrumented=True)
    for bound in ("none", "preemption:1"):
        model = SimulatedExecutor(copies.program, coverage=Coverage(), symmetry=True)
        expected = run_search(model, copies.text, bound, SearchOptions(engine="library", max_steps=400), 3_000).result
        run = run_inside(program, (), ["--bound", bound, "--symmetry=same", "--memory=sc", "--state=none"])
        got = (run.exit_code, run.report.get("executions"), run.report.get("distinct_traces"))
        if got != (0, expected.executions, expected.counts.distinct_traces):
            yield f"{copies} at {bound}: {got}, the model has {expected.executions}, {expected.counts.distinct_traces}\n{run}"


@pytest.mark.parametrize("copies", [*FIXED, *(draw(random.Random(seed)) for seed in SEEDS)], ids=str)
def test_the_runtime_holds_back_whom_the_model_does(copies: Copies, tmp_path: Path) -> None:
    with_main = Copies(copies.text, copies.times, with_main=True)
    assert list(differences(with_main, tmp_path)) == []


def _symmetric(program: Path, *options: str) -> Run:
    return run_inside(program, (), ["--symmetry=same", "--state=none", *(options or ["--bound=none"])])


def test_four_threads_that_lock_twice_have_one_order_of_24(program: Compile) -> None:
    run = _symmetric(program("correct/mutex/counter.c", "-DTHREADS=4"))
    assert (run.exit_code, run.report["executions"]) == (0, 105)  # 2,520 / 24
    assert "T1, T2, T3, T4, started alike, taken as interchangeable" in run.report["statement"]


def test_any_argument_counts_as_the_same_if_the_user_says_so() -> None:
    treiber = compiled(ROOT / "benchmarks/peers/programs/treiber.c", ["-DTHREADS=2"], instrumented=True)
    same, any_ = (run_inside(treiber, (), [f"--symmetry={which}", "--bound=none", "--state=none"]) for which in ("same", "any"))
    assert same.exit_code == any_.exit_code == 0
    assert "no threads that were started alike" in same.report["statement"]
    assert "started alike, but for their arguments, taken as interchangeable" in any_.report["statement"]
    assert 2 * any_.report["executions"] == same.report["executions"]


def test_what_weaker_memory_has_to_show_is_searched_without_it() -> None:
    run = run_inside(compiled(PROGRAMS / "buggy/deadlock/waiters_counted.c", instrumented=True), (), ["--symmetry=same", "--bound=none"])
    assert (run.exit_code, run.kinds) == (1, {"deadlock"})
    assert "interchangeable" not in run.report["statement"]


REFUSED = ["--bound=fair:2", "--bound=context:2", "--search=optimal", "--match=memory", "--outcomes", "--memory=c11", "--faults=malloc:1"]


@pytest.mark.parametrize("option", REFUSED)
def test_what_was_not_shown_to_lose_nothing_is_refused(option: str, program: Compile) -> None:
    run = _symmetric(program("correct/mutex/counter.c"), option)
    assert run.exit_code == 2
    assert "--symmetry" in run.stderr and run.stderr.count("\n") == 1


def main(seconds: float, seed: int) -> int:
    tried, found, deadline = 0, list[str](), time.monotonic() + seconds
    with tempfile.TemporaryDirectory() as directory:
        while time.monotonic() < deadline:
            try:
                found += differences(draw(random.Random(seed)), Path(directory))
                tried += 1
            except Unfinished:
                pass
            seed += 1
    print(f"{tried} programs with threads that start alike, {len(found)} differences", *found, sep="\n")
    return bool(found)


if __name__ == "__main__":
    sys.exit(main(float(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else int(time.time())))
