"""BesideGraphs: the same search as GraphSearch, beside the program (csrc/engine/graphs). By one process: its states cannot be divided."""

from __future__ import annotations

from bpor.lazy_dataclass import replace
from bpor.model.exploration import TreeOrder
from bpor.search.bounds.bound import Bound
from bpor.search.bounds.rules import rule_for
from bpor.search.engine.beside_tree import BesideTree
from bpor.search.estimate import Estimate
from bpor.search.options import OFF, SearchOptions
from bpor.search.tally import Tally


class BesideGraphs(BesideTree):
    def __init__(self, bound: Bound, options: SearchOptions, total: Tally) -> None:
        super().__init__(bound, rule_for(bound), replace(options, match=OFF, workers=1), total, leads=False)

    @property
    def _order(self) -> TreeOrder:
        return TreeOrder(limits=self.rule.limits, max_steps=self._options.max_steps, known_steps=True, graphs=True, sleep_sets=False)

    @property
    def _saves(self) -> bool:
        return False

    def estimate(self) -> Estimate | None:  # type: ignore[override]
        """Knuth's method needs a tree."""
        return None
