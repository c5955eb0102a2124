"""Bytes through a pipe, an eventfd or a pair of sockets are permits of a semaphore: the native search finds exactly the traces and
deadlocks that the oracle finds for the simulated program with semaphores.

A failure repeats: the programs come from fixed seeds, and the assertion shows the scripts.
"""

from __future__ import annotations

import random

import pytest

from bpor.simulate.bounds import Combined, OracleBound, Unbounded
from bpor.simulate.notation import parse
from bpor.simulate.oracle import Oracle
from tests.native.compiled import ROOT, compiled
from tests.native.tool import run_tool

pytestmark = pytest.mark.needs("gcc")
PROBE = ROOT / "tests/native/probes/channels.c"
NOTATION = {"p": "post s{}", "g": "sem_wait s{}", "l": "lock m{}", "u": "unlock m{}"}
BOUNDS: dict[str, OracleBound] = {"none": Unbounded(), "preemption:1": Combined(preemption=1)}

SEEDS = (0, 5, 17, 27, 34, 38)  # few traces and many, with and without deadlocks


def scripts(seed: int) -> list[str]:
    """Two or three threads of a few operations; what is locked is unlocked."""
    choose = random.Random(seed)
    threads = []
    for _ in range(choose.choice((2, 2, 3))):
        operations: list[str] = []
        for _ in range(choose.randint(2, 3)):
            which = choose.randrange(2)
            kind = choose.choice("ppgl")
            operations += [f"l{which}", f"p{1 - which}", f"u{which}"] if kind == "l" else [f"{kind}{which}"]
        threads.append(" ".join(operations))
    return threads


def as_program(threads: list[str]) -> str:
    return " | ".join("; ".join(NOTATION[word[0]].format(word[1]) for word in thread.split()) for thread in threads)


@pytest.mark.parametrize("bound", BOUNDS)
@pytest.mark.parametrize("kind", ["pipe", "eventfd", "sockets"])
@pytest.mark.parametrize("seed", SEEDS)
def test_a_channel_gives_the_traces_of_a_semaphore(seed: int, kind: str, bound: str) -> None:
    threads = scripts(seed)
    truth = Oracle(parse(as_program(threads), s0=0, s1=0).with_main()).explore(BOUNDS[bound])
    run = run_tool(compiled(PROBE), [kind, *threads], ["--bound", bound, "--keep-going"])
    assert run.kinds == ({"deadlock"} if truth.deadlocks else set()), (threads, run)
    assert run.report["distinct_traces"] == truth.traces, (threads, run)


def test_the_programs_differ_and_some_deadlock() -> None:
    truths = [Oracle(parse(as_program(scripts(seed)), s0=0, s1=0).with_main()).explore() for seed in SEEDS]
    assert {bool(truth.deadlocks) for truth in truths} == {True, False}
    assert len({truth.traces for truth in truths}) > 2
