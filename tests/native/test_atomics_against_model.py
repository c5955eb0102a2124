"""Straight-line C programs over atomics against brute force: repeated looks are no loop, so no bound may lose a schedule to them.

Every access goes through a function that is not inlined: only the calls around it tell one look from the next. What the threads read
is compared with every interleaving within the bound, enumerated here; the number of traces with the exact oracle of the same program.

`python -m tests.native.test_atomics_against_model SECONDS [SEED]` goes on with other programs for as long as asked (make soak).
"""

from __future__ import annotations

import random
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from bpor.simulate.bounds import Combined
from bpor.simulate.notation import parse
from bpor.simulate.oracle import Oracle
from tests.native.compiled import compiled
from tests.native.tool import run_inside

pytestmark = pytest.mark.needs("gcc")

GETTERS = [
    "R x; R x; R x | W x; W x",
    "R x; R x; R x; R x | W x 0 | W x",
    "R x; R y; R x; R y; R x | W y; W x",
    "CAS x; CAS x; CAS x | W x; W x 0",
]
SEEDS = range(6)
PREEMPTIONS = {"none": None, "fair:0": None, "preemption:0": 0, "preemption:1": 1, "fair:0,preemption:2": 2}
BASE = 1000  # above every value; a thread's observations are the digits of one number, kept in a register

Access = tuple[str, str, int]  # R, W, RMW or CAS; variable; value to write
Outcome = tuple[int, ...]  # by thread

_PROLOGUE = """
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#define APART __attribute__((noinline, unused)) static long
static atomic_long x __attribute__((unused)), y __attribute__((unused));
APART R(atomic_long *place) { return atomic_load(place); }
APART W(atomic_long *place, long value) { atomic_store(place, value); return 0; }
APART RMW(atomic_long *place) { return atomic_fetch_add(place, 1); }
APART CAS(atomic_long *place, long value) { long old = 0; atomic_compare_exchange_strong(place, &old, value); return old; }
"""
_MAIN = """
enum { THREADS = sizeof body / sizeof *body };
int main(void)
{
    pthread_t thread[THREADS];
    void *seen;
    for (int i = 0; i < THREADS; i++)
        pthread_create(&thread[i], NULL, body[i], NULL);
    for (int i = 0; i < THREADS; i++) {
        pthread_join(thread[i], &seen);
        printf("%ld ", (long)(intptr_t)seen);
    }
    return 0;
}
"""


def random_text(seed: int) -> str:
    """Two or three threads that mostly look."""
    draw = random.Random(seed)

    def access() -> str:
        verb = draw.choice(["R", "R", "R", "W", "RMW", "CAS"])
        zero = " 0" if verb == "W" and draw.random() < 0.4 else ""
        return f"{verb} {draw.choice('xxy')}{zero}"

    lengths = draw.choice([(4, 3), (5, 2), (2, 2, 2), (3, 2, 1)])
    return " | ".join("; ".join(access() for _ in range(length)) for length in lengths)


def accesses(text: str) -> list[list[Access]]:
    """With the values that the notation of bpor.simulate gives them."""
    return [
        [
            (words[0], words[1], int(words[2]) if len(words) > 2 else 1 + 64 * number + index)
            for index, words in enumerate(part.split() for part in thread.split(";"))
        ]
        for number, thread in enumerate(text.split("|"))
    ]


def c_source(threads: list[list[Access]]) -> str:
    def call(verb: str, variable: str, value: int) -> str:
        arguments = f"&{variable}, {value}" if verb in ("W", "CAS") else f"&{variable}"
        return f"seen = seen * {BASE} + {verb}({arguments});"

    code = (" ".join(call(*access) for access in thread) for thread in threads)
    bodies = "".join(
        f"static void *t{number}(void *unused) {{ intptr_t seen = unused != NULL; {calls} return (void *)seen; }}\n"
        for number, calls in enumerate(code)
    )
    names = ", ".join(f"t{number}" for number in range(len(threads)))
    return f"{_PROLOGUE}{bodies}static void *(*const body[])(void *) = {{{names}}};{_MAIN}"


def outcomes(threads: list[list[Access]], preemptions: int | None) -> set[Outcome]:
    """Of every interleaving with at most so many preemptions: switches away from a thread that has not ended."""
    found = set()

    def go(at: tuple[int, ...], seen: Outcome, memory: dict[str, int], last: int, left: int) -> None:
        live = [thread for thread, done in enumerate(at) if done < len(threads[thread])]
        if not live:
            found.add(seen)
        for thread in live:
            cost = int(last in live and thread != last)
            if cost <= left:
                value, after = _access(memory, *threads[thread][at[thread]])
                go(_with(at, thread, at[thread] + 1), _with(seen, thread, seen[thread] * BASE + value), after, thread, left - cost)

    nothing = (0,) * len(threads)
    go(nothing, nothing, {}, -1, sum(map(len, threads)) if preemptions is None else preemptions)
    return found


def _access(memory: dict[str, int], verb: str, variable: str, value: int) -> tuple[int, dict[str, int]]:
    """What it observes, and the memory after it."""
    old = memory.get(variable, 0)
    if verb == "R" or (verb == "CAS" and old != 0):
        return old, memory
    return 0 if verb == "W" else old, {**memory, variable: old + 1 if verb == "RMW" else value}


def _with(values: tuple[int, ...], index: int, value: int) -> tuple[int, ...]:
    return (*values[:index], value, *values[index + 1 :])


def differences(text: str, directory: Path) -> Iterator[str]:
    """Between the tool and the truth, on one program."""
    threads = accesses(text)
    source = directory / "program.c"
    source.write_text(c_source(threads))
    program = compiled(source, instrumented=True)
    for bound, preemptions in PREEMPTIONS.items():
        run = run_inside(program, (), ["--bound", bound, "--outcomes", "--state", "none"])
        assert run.exit_code == 0, run
        got = {tuple(map(int, one["stdout"].split())) for one in run.report["outcomes"]}
        truth = outcomes(threads, preemptions)
        if got != truth:
            yield f"{text} at {bound}: lacks {truth - got}, invents {got - truth}"
        traces = Oracle(parse(text)).explore(Combined(preemptions)).traces
        if run.report["distinct_traces"] != traces:
            yield f"{text} at {bound}: {run.report['distinct_traces']} traces, the oracle has {traces}"
        if "yields inferred" in run.report["statement"]:
            yield f"{text} at {bound}: takes something for a loop"


@pytest.mark.parametrize("text", [*GETTERS, *map(random_text, SEEDS)])
def test_straight_line_code_loses_no_schedule(text: str, tmp_path: Path) -> None:
    assert list(differences(text, tmp_path)) == []


def main(seconds: float, seed: int) -> int:
    tried, found, deadline = 0, list[str](), time.monotonic() + seconds
    with tempfile.TemporaryDirectory() as directory:
        while time.monotonic() < deadline:
            found += differences(random_text(seed), Path(directory))
            tried, seed = tried + 1, seed + 1
    print(f"{tried} straight-line programs compared with brute force, {len(found)} differences", *found, sep="\n")
    return bool(found)


if __name__ == "__main__":
    sys.exit(main(float(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else int(time.time())))
