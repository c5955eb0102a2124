"""Ladder: one tree per level of a bound, the smallest first. What bpor, dpor, dfs and delay have in common.

A level at which the bound refused nobody already covers every schedule, so the levels above it are not searched.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from bpor.model.plan import Plan
from bpor.model.trace import Trace
from bpor.search.bounds.bound import Bound
from bpor.search.coverage import Level
from bpor.search.engine.rule import Rule
from bpor.search.engine.tree import Tree
from bpor.search.options import SearchOptions
from bpor.search.tally import Counts, Tally


class Ladder:
    def __init__(self, levels: Iterable[Bound], rule_for: Callable[[Bound], Rule], options: SearchOptions) -> None:
        self.total = Tally(options.distinct_cap)
        self._waiting = iter(levels)
        self._rule_for = rule_for
        self._options = options
        self._finished: list[Level] = []
        self._tree: Tree | None = self._climb()

    def next_plan(self) -> Plan | None:
        while self._tree is not None:
            plan = self._tree.next_plan()
            if plan is not None:
                return plan
            level = self._tree.level()
            self._finished.append(level)
            self._tree = None if level.whole else self._climb()
        return None

    def learn(self, trace: Trace) -> None:
        assert self._tree is not None
        self._tree.learn(trace)

    @property
    def exhausted(self) -> bool:
        return self._tree is None

    @property
    def counts(self) -> Counts:
        return self.total.counts()

    def levels(self) -> tuple[Level, ...]:
        current = (self._tree.level(),) if self._tree is not None else ()
        return (*self._finished, *current)

    def _climb(self) -> Tree | None:
        level = next(self._waiting, None)
        return None if level is None else Tree(level, self._rule_for(level), self._options, self.total)
