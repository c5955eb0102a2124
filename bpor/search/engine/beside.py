"""BesideTree: a tree that is searched beside the program, by the executor itself (csrc/engine). To a strategy the same as Tree, but a plan
of it is many executions.

Invariant: it runs the executions that Tree would, in the same order, and its numbers are the same.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from bpor.model.exploration import Exploration, TreeOrder
from bpor.model.plan import Plan
from bpor.model.trace import Trace
from bpor.search.bounds.bound import Bound
from bpor.search.coverage import Level
from bpor.search.engine.rule import Rule
from bpor.search.engine.tree import Tree
from bpor.search.estimate import Estimate
from bpor.search.options import SearchOptions
from bpor.search.tally import Tally

_LARGEST_TABLE = 1 << 20  # hashes; the tables beside the program are not larger


class BesideTree:
    def __init__(self, bound: Bound, rule: Rule, options: SearchOptions, total: Tally, place: int = 0) -> None:
        self.bound = bound
        self.rule = rule
        self.place = place  # of the two that may take turns
        self.tally = Tally(options.distinct_cap)
        self.total = total
        self.refused = 0
        self.begun = False
        self.finished = False
        self._options = options
        self._told = False  # the executor knows of it
        self._estimate = Estimate(1.0, 1.0, 1.0)
        self._save: Callable[[], dict[str, Any]] = _unbegun

    def next_plan(self) -> Plan | None:
        if self.finished:
            return None
        here = tuple(place == self.place for place in range(2))
        exploration = Exploration(
            trees=(here[0], here[1]),
            begin=(self.order if here[0] else None, self.order if here[1] else None),
            begin_total=self.total.executions == 0,
            distinct_cap=self._options.distinct_cap,
        )
        return Plan(limits=self.rule.limits, max_steps=self._options.max_steps, exploration=exploration)

    @property
    def order(self) -> TreeOrder | None:
        """How it begins; None: it has begun."""
        if self._told:
            return None
        options = self._options
        return TreeOrder(
            limits=self.rule.limits,
            max_steps=options.max_steps,
            sleep_sets=options.sleep_sets and self.rule.sleeps,
            transitive_reduction=options.transitive_reduction,
            bound_optimisation=options.bound_optimisation,
            release_optimisation=options.release_optimisation and self.rule.release_optimisation,
            any_order=options.any_order,
            everything=not self.rule.reduces,
        )

    def learn(self, trace: Trace) -> None:
        assert trace.batch is not None
        told = trace.batch.trees[self.place]
        self._told = True
        self.begun, self.finished, self.refused = told.begun, told.finished, told.refused
        runs = told.tally.executions
        self._estimate = Estimate(runs, runs, runs) if told.finished else Estimate(*told.estimate)
        self._save = told.save
        self.tally.tell(told.tally)
        self.total.tell(trace.batch.total)

    def save(self) -> dict[str, Any]:
        """For a later process, which goes on in Python (tree_state.py)."""
        return self._save() | {"tally": self.tally.save()}

    def level(self) -> Level:
        counts = self.tally.counts()
        refused = self.refused if self.rule.limits.fair is None else max(self.refused, counts.refused_states)
        return Level(self.bound, counts, self.finished, refused, self._estimate)


def _unbegun() -> dict[str, Any]:
    return {"begun": False, "finished": False, "refused": 0, "schedule": [], "hash": 0, "frames": []}


def plant(bound: Bound, rule: Rule, options: SearchOptions, total: Tally, place: int = 0) -> Tree | BesideTree:
    """A tree where the options want it, and where it can be."""
    if options.engine == "native" and rule.beside and options.distinct_cap <= _LARGEST_TABLE and not options.check_postconditions:
        return BesideTree(bound, rule, options, total, place)
    return Tree(bound, rule, options, total)
