"""BesideWakeups: the same search as Wakeups, beside the program (csrc/engine/optimal). By one process: its stack cannot be divided."""

from __future__ import annotations

from bpor.lazy_dataclass import replace
from bpor.model.exploration import TreeOrder
from bpor.search.bounds.bound import NONE
from bpor.search.bounds.rules import rule_for
from bpor.search.coverage import Level
from bpor.search.engine.beside_tree import BesideTree
from bpor.search.options import OFF, SearchOptions
from bpor.search.tally import Tally


class BesideWakeups(BesideTree):
    def __init__(self, options: SearchOptions, total: Tally, place: int = 0, order: int = 0) -> None:
        plain = replace(options, known_steps=False, match=OFF, workers=1)
        super().__init__(NONE, rule_for(NONE), plain, total, place, leads=False)
        self._wakeups = order

    @property
    def _order(self) -> TreeOrder:
        return TreeOrder(limits=self.rule.limits, max_steps=self._options.max_steps, wakeups=self._wakeups)

    @property
    def _saves(self) -> bool:
        return False

    def level(self) -> Level:
        return replace(super().level(), estimate=None)
