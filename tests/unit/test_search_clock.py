"""Clocks of many threads in one integer, against counts in a list."""

from __future__ import annotations

import random

import pytest

from bpor.model.plan import Plan
from bpor.model.policy import threads_in
from bpor.search.engine.clock import NEVER, count, guards_with, join, step_of, total
from bpor.search.engine.history import History
from bpor.simulate.executor import SimulatedExecutor
from bpor.simulate.notation import parse

LARGEST = (1 << 31) - 1


def clock_of(counts: list[int]) -> int:
    return sum(steps * step_of(thread) for thread, steps in enumerate(counts))


@pytest.mark.parametrize("threads", [1, 2, 5, 256])
def test_a_join_has_the_larger_count_of_every_thread(threads: int) -> None:
    draw = random.Random(threads)
    guards = guards_with(threads - 1)
    for _ in range(50):
        one, other = ([draw.choice((0, 1, 2, draw.randrange(LARGEST), LARGEST)) for _ in range(threads)] for _ in range(2))
        joined = join(clock_of(one), clock_of(other), guards)
        assert [count(joined, thread) for thread in range(threads)] == list(map(max, one, other))
        assert total(joined) == sum(map(max, one, other))


def test_guards_grow_with_the_threads_and_never_shrink() -> None:
    guards = guards_with(0)
    wider = guards_with(3, guards)
    assert wider == guards_with(3) and guards_with(1, wider) == wider
    assert join(step_of(3), step_of(1), wider) == step_of(3) + step_of(1)
    assert join(NEVER, step_of(3), wider) == step_of(3)


@pytest.mark.parametrize(
    "text",
    [
        "lock; Wx; unlock | lock; Rx; unlock | Rx; Wx",
        "Rx; Ry; Wx | Wy; Rx; Ry | Ry; Wx; Wy",
        "spawn 2; Rx; join 2 | Wx; spawn 3; Rx; join 3 | Rx; Rx; Wy | Ry; Wx",
    ],
)
def test_direct_dependents_are_the_last_dependents_that_nothing_covers(text: str) -> None:
    draw = random.Random(text)
    found = 0
    for _ in range(20):
        trace = SimulatedExecutor(parse(text)).run(Plan(chooser=lambda state: draw.choice(list(threads_in(state.enabled)))))
        history = History()
        history.begin(trace.initial)
        for step in trace.steps:
            history.push(step)
            for thread in history.threads:
                direct = sorted(history.direct_dependents(thread))
                assert direct == sorted(history.uncovered(thread, history.last_dependents(thread)))
                found += len(direct)
    assert found
