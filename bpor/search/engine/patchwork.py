"""Patchwork: a tree that is searched subtree by subtree, in Python. To a strategy the same as Tree.

With it a search goes on here that was saved while several processes had parts of it (trunk.py); and it is how the trunk is tested.
"""

from __future__ import annotations

from typing import Any, ClassVar

from bpor.model.plan import Plan
from bpor.model.trace import Trace
from bpor.search.bounds.bound import Bound
from bpor.search.coverage import Level
from bpor.search.engine.limb import Branch
from bpor.search.engine.rule import Rule
from bpor.search.engine.tree import Tree
from bpor.search.engine.trunk import Trunk
from bpor.search.estimate import Estimate
from bpor.search.options import SearchOptions
from bpor.search.tally import Tally


class Patchwork:
    recognises: ClassVar[bool] = False  # states, by their memory

    def __init__(self, bound: Bound, rule: Rule, options: SearchOptions, total: Tally) -> None:
        self.bound = bound
        self.rule = rule
        self.tally = Tally(options.distinct_cap)
        self.total = total
        self.trunk = Trunk(rule, options)
        self.begun = False
        self.past_refused = 0  # in subtrees that are explored
        self.trees: dict[Branch, Tree] = {}  # being explored
        self.options = options
        self._current: Branch | None = None

    @property
    def finished(self) -> bool:
        return self.begun and self.trunk.finished

    @property
    def refused(self) -> int:
        return self.past_refused + self.trunk.refused + sum(tree.refused for tree in self.trees.values())

    def next_plan(self) -> Plan | None:
        while (branch := self.turn()) is not None:
            self._current = branch
            plan = self.trees[branch].next_plan()
            if plan is not None:
                return plan
            self._end(branch)
        return None

    def turn(self) -> Branch | None:
        """Whose turn it is: one branch after another, the deepest first."""
        return next(iter(self.trees), None) or self.take(deepest=True)

    def take(self, deepest: bool) -> Branch | None:
        """A branch that nobody explores yet, planted."""
        branch = self.trunk.pick(deepest) if self.begun else self.trunk.whole()
        self.begun = True
        if branch is not None:
            tree = Tree(self.bound, self.rule, self.options, self.total, self.trunk.subtree(branch))
            tree.tally = self.tally
            self.trees[branch] = tree
        return branch

    def _end(self, branch: Branch) -> None:
        tree = self.trees.pop(branch)
        self.past_refused += tree.refused
        self.trunk.tell(branch, tree.above())
        self.trunk.end(branch)

    def learn(self, trace: Trace) -> None:
        assert self._current is not None
        branch, tree = self._current, self.trees[self._current]
        tree.learn(trace)
        branch.executions += 1
        self.trunk.tell(branch, tree.above())

    def level(self) -> Level:
        counts = self.tally.counts()
        refused = self.refused if self.rule.limits.fair is None else max(self.refused, counts.refused_states)
        return Level(self.bound, counts, self.finished, refused, self.estimate())

    def estimate(self) -> Estimate:
        for branch, tree in self.trees.items():
            told = tree.estimate()
            if told is not None:
                branch.estimate = told.low, told.expected, told.high
        return self.trunk.estimate() if not self.finished else Estimate(*[self.tally.executions] * 3)

    def load(self, saved: dict[str, Any]) -> None:
        self.begun = saved["begun"]
        self.past_refused = saved["refused"]
        self.trunk.load(saved["limbs"])
        self.tally.load(saved["tally"])
