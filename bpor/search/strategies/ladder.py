"""Ladder: one tree per level of a bound, the smallest first. What bpor, dpor, dfs and delay have in common.

A level at which the bound refused nobody already covers every schedule, so the levels above it are not searched.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from bpor.model.executor import Executor
from bpor.model.plan import Plan
from bpor.model.schedule import Schedule
from bpor.model.trace import Trace
from bpor.search.bounds.bound import Bound
from bpor.search.coverage import Level, load_level, save_level
from bpor.search.engine.beside_tree import AnyTree, BesideTree, PlantTree, plant
from bpor.search.engine.rule import Rule
from bpor.search.engine.tree import Tree
from bpor.search.engine.tree_state import load_tree, save_tree
from bpor.search.options import SearchOptions
from bpor.search.tally import Counts, Tally


class Ladder:
    def __init__(
        self, levels: Iterable[Bound], rule_for: Callable[[Bound], Rule], options: SearchOptions, tree_for: PlantTree = plant
    ) -> None:
        self.total = Tally(options.distinct_cap)
        self._waiting = iter(levels)
        self._rule_for = rule_for
        self._tree_for = tree_for
        self._options = options
        self._finished: list[Level] = []
        self._last: AnyTree | None = None  # the one that was finished last
        self._tree: AnyTree | None = self._climb()

    def next_plan(self) -> Plan | None:
        while self._tree is not None:
            plan = self._tree.next_plan()
            if plan is not None:
                return plan
            level = self._tree.level()
            self._finished.append(level)
            self._last = self._tree
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

    def lassos(self) -> Iterator[Schedule]:
        """Endless fair schedules, where states are recognised."""
        tree = self._tree if self._tree is not None else self._last
        return tree.lassos() if isinstance(tree, Tree | BesideTree) else iter(())

    def rounds_alone(self) -> Iterator[Schedule]:
        """Endless schedules of one thread alone, where states are recognised."""
        tree = self._tree if self._tree is not None else self._last
        return tree.rounds_alone() if isinstance(tree, Tree | BesideTree) else iter(())

    def open_trees(self) -> tuple[AnyTree, ...]:
        return () if self._tree is None else (self._tree,)

    def levels(self) -> tuple[Level, ...]:
        current = (self._tree.level(),) if self._tree is not None else ()
        return (*self._finished, *current)

    def save(self) -> dict[str, Any]:
        return {
            "total": self.total.save(),
            "finished": [save_level(level) for level in self._finished],
            "tree": None if self._tree is None else save_tree(self._tree),
        }

    def load(self, saved: dict[str, Any], executor: Executor) -> None:
        for level in map(load_level, saved["finished"]):
            self._finished.append(level)
            self._tree = None if level.whole else self._climb()
        if self._tree is not None:
            self._tree = load_tree(self._tree, saved["tree"], executor)
        self.total.load(saved["total"])

    def _climb(self) -> AnyTree | None:
        level = next(self._waiting, None)
        if level is None:
            return None
        tree = self._tree_for(level, self._rule_for(level), self._options, self.total)
        if isinstance(tree, Tree) and not self._finished:
            tree.tally = self.total  # all there is so far is its own: what is distinct need not be counted twice
        return tree
