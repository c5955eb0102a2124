"""BesideOpen: the same search as OpenTree, beside the program (csrc/engine/open). By one process: its choices cannot be divided."""

from __future__ import annotations

from collections.abc import Sequence

from bpor.lazy_dataclass import replace
from bpor.model.exploration import Ranking, Shelved, TreeOrder
from bpor.search.best_first.priority import Priority, marks_of_object, marks_of_stack
from bpor.search.bounds.bound import Bound
from bpor.search.engine.beside_tree import BesideTree
from bpor.search.engine.rule import Rule
from bpor.search.estimate import Estimate
from bpor.search.options import OFF, SearchOptions
from bpor.search.tally import Tally


class BesideOpen(BesideTree):
    def __init__(self, bound: Bound, rule: Rule, options: SearchOptions, total: Tally, priorities: Sequence[Priority], seed: int) -> None:
        super().__init__(bound, rule, replace(options, match=OFF, workers=1), total, leads=False)
        self._priorities, self._seed = tuple(priorities), seed

    @property
    def _order(self) -> TreeOrder:
        ranking = Ranking(tuple(each.number for each in self._priorities), self._seed, self._marks)
        return replace(super()._order, everything=self.rule.notes_races, ranking=ranking, match_limit=self._options.open_limit)

    def _marks(self, identity: int | None, stack: tuple[int, ...]) -> int:
        if identity is None:
            return marks_of_stack(self._priorities, stack, self._options.naming)
        return marks_of_object(self._priorities, identity, self._options.naming)

    @property
    def _saves(self) -> bool:
        return False

    @property
    def nodes(self) -> int:
        return self._workers[0].told.nodes

    @property
    def most_nodes(self) -> int:
        return self._workers[0].told.most_nodes

    @property
    def shelved(self) -> Shelved:
        return self._workers[0].told.shelved

    def estimate(self) -> Estimate | None:  # type: ignore[override]
        """Knuth's method needs subtrees that were finished one after the other."""
        return super().estimate() if self.finished else None
