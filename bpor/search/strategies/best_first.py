"""best-first: the schedules within the bound, the most promising first (GAMBIT: Coons, Burckhardt, Musuvathi, PPoPP 2010).

`best-first:method:push,pb,random` explores the reduced space, `best-first-all:...` the whole space within the bound; without priorities
it is `pb`. Whatever the order, everything is explored in the end: the priorities decide how soon a bug is met, never whether.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from bpor.errors import UsageError
from bpor.lazy_dataclass import replace
from bpor.model.executor import Executor
from bpor.model.plan import Plan
from bpor.model.trace import Trace
from bpor.search.best_first.beside import BesideOpen
from bpor.search.best_first.priority import parse_priorities
from bpor.search.best_first.rules import EverythingRacesNoted
from bpor.search.best_first.tree import OpenTree
from bpor.search.bounds.bound import Bound, BoundKind
from bpor.search.bounds.rules import rule_for
from bpor.search.coverage import Level
from bpor.search.engine.library_tree import LibraryTree
from bpor.search.engine.rule import Rule
from bpor.search.options import SearchOptions
from bpor.search.resume import NotKept
from bpor.search.strategies.ladder import Ladder
from bpor.search.tally import Counts, Tally

_DEFAULT = "pb"


class BestFirst:
    """A ladder of open trees."""

    def __init__(self, bound: Bound, rule: Callable[[Bound], Rule], priorities: str, options: SearchOptions, seed: int) -> None:
        self._chosen, self._seed = parse_priorities(priorities, options.naming, seed), seed
        self._ladder = Ladder(bound.levels(), rule, replace(options, any_order=True), self._tree_for)

    def _tree_for(self, level: Bound, rule: Rule, options: SearchOptions, total: Tally) -> OpenTree | BesideOpen | LibraryTree:
        self.tree: OpenTree | BesideOpen | LibraryTree  # of the level that is being searched
        if options.engine == "library" and rule.beside:
            from bpor.search.best_first.library import LibraryOpen  # it loads a library that searches of native programs do not need

            self.tree = LibraryOpen(level, rule, options, total, self._chosen, self._seed)
        elif options.engine == "native" and rule.beside:
            self.tree = BesideOpen(level, rule, options, total, self._chosen, self._seed)
        else:
            self.tree = OpenTree(level, rule, options, total, self._chosen)
        return self.tree

    def next_plan(self) -> Plan | None:
        return self._ladder.next_plan()

    def learn(self, trace: Trace) -> None:
        self._ladder.learn(trace)

    @property
    def exhausted(self) -> bool:
        return self._ladder.exhausted

    @property
    def counts(self) -> Counts:
        return self._ladder.counts

    def levels(self) -> tuple[Level, ...]:
        return self._ladder.levels()

    def save(self) -> dict[str, Any]:
        return self._ladder.save() if isinstance(self.tree, OpenTree) else {"tree": None}

    def load(self, saved: dict[str, Any], executor: Executor) -> None:
        if not isinstance(self.tree, OpenTree) or "total" not in saved:
            raise NotKept("the best-first search beside the program keeps no tree; --engine=python does")
        self._ladder.load(saved, executor)


def best_first(bound: Bound, options: SearchOptions, seed: int, priorities: str = "") -> BestFirst:
    return BestFirst(bound, rule_for, priorities or _DEFAULT, options, seed)


def best_first_all(bound: Bound, options: SearchOptions, seed: int, priorities: str = "") -> BestFirst:
    if bound.kinds - {BoundKind.PREEMPTION, BoundKind.FAIR}:
        raise UsageError(f"--search best-first-all knows the bounds preemption and fair, not {bound}")
    return BestFirst(bound, _everything, priorities or _DEFAULT, options, seed)


def _everything(level: Bound) -> Rule:
    return EverythingRacesNoted(level.value(BoundKind.PREEMPTION), level.value(BoundKind.FAIR))
