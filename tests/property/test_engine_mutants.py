"""The engine itself with one switch of a bound's rule set wrongly: the oracle notices. (test_mutants.py bends the reference search.)"""

from __future__ import annotations

from collections.abc import Callable

import pytest

from bpor.search.bounds.bound import Bound, Kind
from bpor.search.bounds.grammar import parse_bound
from bpor.search.bounds.runahead import RunAhead
from bpor.search.budget import Budget
from bpor.search.engine.rule import Rule
from bpor.search.engine.tree import Tree
from bpor.search.explorer import Explorer
from bpor.search.options import SearchOptions
from bpor.search.strategies.ladder import Ladder
from bpor.simulate.coverage import Missing
from bpor.simulate.notation import parse
from bpor.simulate.oracle import Oracle
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


def run_ahead(rule: Callable[[int | None, int | None], Rule]) -> Callable[[Bound], Rule]:
    return lambda level: rule(level.value(Kind.PREEMPTION), level.value(Kind.FAIR))


MUTANTS: list[tuple[str, Callable[[Bound], Rule], str, str]] = [
    ("E1", run_ahead(NoConservativePoints), "Wa; Wx | Wx", "preemption:0"),
    ("E4", run_ahead(NextOperationWatched), "lock; Rx | Wx", "preemption:0"),
    ("E7", run_ahead(ReleaseOptimisationUnderABound), "Wx; lock; unlock; Wx | Rx; Wx; lock; Rx", "preemption:2"),
    ("E10", run_ahead(ReleasesSleep), "sem_wait; Wx | yield; Rx | yield; post", "fair:0"),
    ("E28 end", run_ahead(ReleasesSleep), "join 2; Rx | Rx; yield; Wx | yield; yield", "fair:0"),
    ("E28 join", run_ahead(NothingEnabledByEnds), "yield; Wx | join 2; Wx | Wx; yield; yield", "fair:0"),
]


def missed(rule_for: Callable[[Bound], Rule], text: str, bound: str) -> Missing:
    oracle, level = Oracle(parse(text)), parse_bound(bound)
    executor = oracle.executor()
    assert executor.coverage is not None
    Explorer(executor, Ladder([level], rule_for, SearchOptions(max_steps=400)), Budget(max_executions=5_000, max_findings=None)).run()
    return executor.coverage.lacks(oracle.explore(oracle_bound(level)).coverage)


@pytest.mark.parametrize(("wrong", "text", "bound"), [row[1:] for row in MUTANTS], ids=[row[0] for row in MUTANTS])
def test_a_rule_set_wrongly_makes_the_engine_miss_states(wrong: Callable[[Bound], Rule], text: str, bound: str) -> None:
    assert missed(wrong, text, bound)
    assert not missed(run_ahead(RunAhead), text, bound)
