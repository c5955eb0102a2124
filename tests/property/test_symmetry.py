"""Threads that start alike, explored in one of their orders: every trace is one that was run, with threads renamed."""

from __future__ import annotations

import pytest

from bpor.search.options import SearchOptions
from bpor.simulate.coverage import Coverage
from bpor.simulate.executor import SimulatedExecutor
from bpor.simulate.kin import Kin
from bpor.simulate.world import World
from tests.property.symmetric_trial import ENGINES, Copies, attempt, judge_copies
from tests.property.trial import run_search

# What is special about each is said by the mutant that it shows.
BY_HAND = [
    Copies("W x | R x; W y", (2, 2)),
    Copies("Wx; Rx | Rx; Wx; Rx; assert", (1, 2)),
    Copies("R x; Rx; RMW y; CAS x; Rx", (3,)),
    Copies("lock m; RMW x; unlock m", (3,), with_main=True),
]


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("bound", ["none", "preemption:1"])
@pytest.mark.parametrize("copies", BY_HAND, ids=lambda copies: copies.text)
def test_every_trace_is_one_of_the_search_with_threads_renamed(copies: Copies, bound: str, engine: str) -> None:
    assert not judge_copies(copies, bound, engine).anything


def test_random_programs_lose_nothing_and_save_something() -> None:
    missed = [each for number in range(20) if (each := attempt(number)) is not None]
    assert not any(each.anything for each in missed)
    assert sum(each.executions for each in missed) < sum(each.whole for each in missed)


@pytest.mark.parametrize(
    ("copies", "executions"),
    [
        (Copies("lock m; unlock m; lock m; unlock m", (4,)), 105),  # 2,520 / 24
        (Copies("R x; W x; R x; W x", (2,)), 17),  # 34 / 2
        (Copies("W x | R x", (1, 6)), 7),  # how many of six read the write
    ],
)
def test_one_execution_for_each_orbit(copies: Copies, executions: int) -> None:
    executor = SimulatedExecutor(copies.program, coverage=Coverage(), symmetry=True)
    assert run_search(executor, copies.text, "none", SearchOptions(engine="library"), 5_000).result.executions == executions


class _WithoutVersions(Kin):
    """Values that were read tell nothing of who wrote them."""

    def step(self, *told) -> None:  # type: ignore[no-untyped-def]
        super().step(*told)
        self._versions.clear()


class _WithWriters(Kin):
    """A thread that wrote is as good as before."""

    def step(self, world: World, thread: int, kind, footprint, yields) -> None:  # type: ignore[no-untyped-def]
        before = self._seen[thread]
        super().step(world, thread, kind, footprint, yields)
        if self._seen[thread] is None and before is not None:
            self._seen[thread] = *before, kind


class _BoundedAlike(Kin):
    """Within a preemption bound as without: leaving a thread that is held back is free, and it is woken by no conflict."""

    def __init__(self, world: World, bounded: bool) -> None:
        super().__init__(world, False)


@pytest.mark.parametrize(
    ("mutant", "copies", "bound"),
    [
        (_WithoutVersions, BY_HAND[0], "none"),
        (_WithWriters, BY_HAND[1], "none"),
        (_BoundedAlike, BY_HAND[2], "preemption:1"),
    ],
)
def test_each_part_of_the_rule_is_needed(mutant: type[Kin], copies: Copies, bound: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bpor.simulate.executor.Kin", mutant)
    assert judge_copies(copies, bound).anything
