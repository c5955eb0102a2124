"""Futex waits and wakes on words that never change: the native search finds exactly the traces and deadlocks of the oracle.

The simulated futex stands here: a wait is two steps, enqueue and return, over the same queue with tokens that conditions have.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Generator
from functools import partial
from typing import Any

import pytest

from bpor.protocol.ops import Op
from bpor.simulate.action import Action, Effect, object_id, writes
from bpor.simulate.bounds import Combined, OracleBound, Unbounded
from bpor.simulate.condition import queue_of
from bpor.simulate.mutex import lock, unlock
from bpor.simulate.oracle import Oracle
from bpor.simulate.program import Program, Semantics, program
from bpor.simulate.world import World
from tests.native.compiled import ROOT, compiled
from tests.native.tool import run_tool

pytestmark = pytest.mark.needs("gcc")
PROBE = ROOT / "tests/native/probes/futexes.c"
QUEUE = 2  # the object class of a futex's waiters
BOUNDS: dict[str, OracleBound] = {"none": Unbounded(), "preemption:1": Combined(preemption=1)}
SEEDS = (0, 1, 4, 21, 23, 26)  # few deadlocks and many, with one waiter and with several


class FutexWait(Action):
    kind = Op.FUTEX_WAIT

    def __init__(self, name: str) -> None:
        self.queue = object_id(QUEUE, name)
        self.footprint = writes(self.queue)

    def run(self, world: World, thread: int) -> Effect:
        world.objects[self.queue] = queue_of(world, self.queue).enqueue(thread)
        return Effect(None, self.footprint, then=FutexReturn(self))


class FutexReturn(Action):
    kind = Op.FUTEX_RETURN

    def __init__(self, wait: FutexWait) -> None:
        self.queue, self.footprint = wait.queue, wait.footprint

    def ready(self, world: World, thread: int) -> bool:
        return queue_of(world, self.queue).may_wake(thread)

    def run(self, world: World, thread: int) -> Effect:
        world.objects[self.queue] = queue_of(world, self.queue).leave(thread)
        return Effect(None, self.footprint)


class FutexWake(FutexWait):
    kind = Op.FUTEX_WAKE

    def run(self, world: World, thread: int) -> Effect:
        queue = queue_of(world, self.queue)
        world.objects[self.queue] = queue.signal_oldest() if world.semantics.fifo else queue.signal_any()
        return Effect(None, self.footprint)


class FutexWakeAll(FutexWake):
    def run(self, world: World, thread: int) -> Effect:
        world.objects[self.queue] = queue_of(world, self.queue).broadcast()
        return Effect(None, self.footprint)


ACTIONS: dict[str, Callable[[str], Action]] = {"w": FutexWait, "k": FutexWake, "a": FutexWakeAll, "l": lock, "u": unlock}


def scripts(seed: int) -> list[str]:
    choose = random.Random(seed)
    threads = []
    for kinds in choose.choice((("wk", "wka", "k"), ("w", "w", "kak"), ("wl", "kl", "w"))):
        operations: list[str] = []
        for _ in range(choose.randint(1, 3)):
            which, kind = choose.choice((0, 0, 1)), choose.choice(kinds)
            operations += [f"l{which}", f"k{which}", f"u{which}"] if kind == "l" else [f"{kind}{which}"]
        threads.append(" ".join(operations))
    return threads


def body(script: str) -> Generator[Action, Any, None]:
    for word in script.split():
        yield ACTIONS[word[0]](f"{'m' if word[0] in 'lu' else 'q'}{word[1]}")


def simulated(seed: int) -> Program:
    return program(f"futexes {seed}", [partial(body, script) for script in scripts(seed)]).with_main()


@pytest.mark.parametrize("choice", ["any", "fifo"])
@pytest.mark.parametrize("bound", BOUNDS)
@pytest.mark.parametrize("seed", SEEDS)
def test_futexes_give_the_traces_of_their_model(seed: int, bound: str, choice: str) -> None:
    truth = Oracle(simulated(seed), Semantics(fifo=choice == "fifo")).explore(BOUNDS[bound])
    run = run_tool(compiled(PROBE), scripts(seed), ["--bound", bound, f"--signal={choice}", "--keep-going"])
    assert run.kinds == ({"deadlock"} if truth.deadlocks else set()), (scripts(seed), run)
    assert run.report["distinct_traces"] == truth.traces, (scripts(seed), run)


def test_the_programs_differ_and_who_is_woken_matters() -> None:
    any_waiter = [Oracle(simulated(seed)).explore() for seed in SEEDS]
    oldest = [Oracle(simulated(seed), Semantics(fifo=True)).explore() for seed in SEEDS]
    assert len({truth.traces for truth in any_waiter}) > 3
    assert any(0 < truth.deadlocks < truth.traces for truth in any_waiter)
    assert any(one.traces > other.traces for one, other in zip(any_waiter, oldest, strict=True))
