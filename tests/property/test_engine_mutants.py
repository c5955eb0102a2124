"""The engine itself with one switch of a bound's rule set wrongly: the oracle notices. (test_mutants.py bends the reference search.)"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from bpor.model.policy import Policy
from bpor.search.bounds.bound import Bound, BoundKind
from bpor.search.bounds.context import Context
from bpor.search.bounds.delta import Delta
from bpor.search.bounds.grammar import parse_bound
from bpor.search.bounds.rules import rule_for
from bpor.search.bounds.runahead import RunAhead
from bpor.search.budget import Budget
from bpor.search.engine.frame import Frame
from bpor.search.engine.rule import Rule
from bpor.search.engine.tree import Tree
from bpor.search.explorer import Explorer
from bpor.search.options import SearchOptions
from bpor.search.strategies.ladder import Ladder
from bpor.simulate.coverage import Missing
from bpor.simulate.notation import parse
from bpor.simulate.oracle import Oracle
from bpor.simulate.program import Program
from tests.property.trial import oracle_bound


class NextOperationWatched(RunAhead):
    """E4."""

    def __init__(self, preemption: int | None = None, fair: int | None = None) -> None:
        super().__init__(preemption, fair)
        self.watches_blocks = False


class ReleaseOptimisationUnderABound(RunAhead):
    """E7."""

    def __init__(self, preemption: int | None = None, fair: int | None = None) -> None:
        super().__init__(preemption, fair)
        self.release_optimisation = True


class ReleasesSleep(RunAhead):
    """E10, E28."""

    def __init__(self, preemption: int | None = None, fair: int | None = None) -> None:
        super().__init__(preemption, fair)
        self.releases_sleep = True


class NoConservativePoints(RunAhead):
    """E1, and more: the reduction of unbounded search."""

    def backtrack(self, tree: Tree, index: int, thread: int) -> None:
        tree.add(index, thread)


class NothingEnabledByEnds(RunAhead):
    """E28."""

    def enabled_by(self, tree: Tree, index: int, step: object) -> None:
        pass


class WaitsUnwatched(Context):
    """E60."""

    watches_waits = False
    wakes_next = False  # type: ignore[assignment]


class ForcedSwitchesAreAny(Context):
    """E68."""

    def initial(self, tree: Tree, frame: Frame, chosen: int) -> int:
        return 0


class ReleasesSleepBesideDelays(Delta):
    """E65."""

    def __init__(self, delays: int, fair: int | None = None) -> None:
        super().__init__(delays, fair)
        self.releases_sleep = True


class SleepsBesideAnybody(Delta):
    """E66."""

    def sleeps_beside(self, frame: Frame, sleeper: int, thread: int) -> bool:
        return True


class OnlyReleasesMatter(Delta):
    """E67."""

    def initial(self, tree: Tree, frame: Frame, chosen: int) -> int:
        if frame.releasers >> chosen & 1:
            tree.all_enabled(frame.index, conservative=True)
        return 0


class NobodyPassedOverIsAPoint(Delta):
    """E68."""

    def backtrack(self, tree: Tree, index: int, thread: int) -> None:
        tree.add(index, thread)


def beside_fair(rule: Callable[[int, int | None], Rule], kind: BoundKind) -> Callable[[Bound], Rule]:
    def wrong(level: Bound) -> Rule:
        value = level.value(kind)
        assert value is not None
        return rule(value, level.value(BoundKind.FAIR))

    return wrong


def run_ahead(rule: Callable[[int | None, int | None], Rule]) -> Callable[[Bound], Rule]:
    return lambda level: rule(level.value(BoundKind.PREEMPTION), level.value(BoundKind.FAIR))


MUTANTS: list[tuple[str, Callable[[Bound], Rule], str, str]] = [
    ("E1", run_ahead(NoConservativePoints), "Wa; Wx | Wx", "preemption:0"),
    ("E4", run_ahead(NextOperationWatched), "lock; Rx | Wx", "preemption:0"),
    ("E7", run_ahead(ReleaseOptimisationUnderABound), "Wx; lock; unlock; Wx | Rx; Wx; lock; Rx", "preemption:2"),
    ("E10", run_ahead(ReleasesSleep), "sem_wait; Wx | yield; Rx | yield; post", "fair:0"),
    ("E28 end", run_ahead(ReleasesSleep), "join 2; Rx | Rx; yield; Wx | yield; yield", "fair:0"),
    ("E28 join", run_ahead(NothingEnabledByEnds), "yield; Wx | join 2; Wx | Wx; yield; yield", "fair:0"),
    ("E60", beside_fair(WaitsUnwatched, BoundKind.CONTEXT), "yield; join 1 | spawn 2 | ", "context:1"),
    ("E65", beside_fair(ReleasesSleepBesideDelays, BoundKind.DELTA), "spawn 2; Wx | Wx | Rx", "delta:1"),
    ("E66", beside_fair(SleepsBesideAnybody, BoundKind.DELTA), "Rx | lock n | Wx; Wx", "delta:2"),
    ("E67", beside_fair(OnlyReleasesMatter, BoundKind.DELTA), "pause; sleep; Rx | yield; Wx | Rx", "fair:1,delta:1"),
    ("E68 context", beside_fair(ForcedSwitchesAreAny, BoundKind.CONTEXT), "join 2 | Wx | pause", "context:1"),
    ("E68 delta", beside_fair(NobodyPassedOverIsAPoint, BoundKind.DELTA), "lock m | Rx | lock m; Wx", "delta:2"),
]


def missed(rule_for: Callable[[Bound], Rule], text: str, bound: str) -> Missing:
    return missed_of(parse(text), rule_for, bound)


def missed_of(program: Program, rule_for: Callable[[Bound], Rule], bound: str) -> Missing:
    oracle, level = Oracle(program), parse_bound(bound)
    executor = oracle.executor()
    assert executor.coverage is not None
    Explorer(executor, Ladder([level], rule_for, SearchOptions(max_steps=400)), Budget(max_executions=5_000, max_findings=None)).run()
    return executor.coverage.lacks(oracle.explore(oracle_bound(level)).coverage)


@pytest.mark.parametrize(("wrong", "text", "bound"), [row[1:] for row in MUTANTS], ids=[row[0] for row in MUTANTS])
def test_a_rule_set_wrongly_makes_the_engine_miss_states(wrong: Callable[[Bound], Rule], text: str, bound: str) -> None:
    assert missed(wrong, text, bound)
    assert not missed(rule_for, text, bound)


def test_threads_that_sleep_beside_a_timed_wait_miss_states_under_a_delta_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    """E62."""
    program = "timedwrlock | Wy; timedrdlock | timedwrlock", "delta:2"
    took = Policy.took

    class SleepsBesideTimedWaits(Delta):
        def __init__(self, delays: int, fair: int | None = None) -> None:
            super().__init__(delays, fair)
            self.sleeps_beside_timed = True

    def asleep(self: Policy, *args: Any) -> None:
        took(self, *args[:9])  # it does not hear of timed waits

    assert not missed(rule_for, *program)
    monkeypatch.setattr(Policy, "took", asleep)
    assert missed(beside_fair(SleepsBesideTimedWaits, BoundKind.DELTA), *program)


def test_a_timeout_that_the_context_bound_refuses_asks_for_points_all_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    """E63."""
    program, bound = parse("timedlock m | pause; sleep; timedrdlock | yield; lock m").with_main(leaves=True), "fair:1,context:2"
    assert not missed_of(program, rule_for, bound)
    monkeypatch.setattr(Tree, "_detect_idle", lambda tree, frame: None)
    assert missed_of(program, rule_for, bound)
