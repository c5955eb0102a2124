"""BesideWalk: the same search as Walk, beside the program (csrc/engine/cartesian), by one process. (Several run ahead for Walk: `-j`.)"""

from __future__ import annotations

from bpor.lazy_dataclass import replace
from bpor.model.exploration import TreeOrder
from bpor.model.trace import Trace
from bpor.search.bounds.bound import NONE
from bpor.search.bounds.rules import rule_for
from bpor.search.engine.beside_tree import BesideTree
from bpor.search.options import OFF, SearchOptions
from bpor.search.tally import Tally


class BesideWalk(BesideTree):
    def __init__(self, options: SearchOptions, identify: bool = True) -> None:
        self._identify = identify
        self.identified = False  # states had identities
        self.unidentified = ""  # why states had no identity, if some had none
        plain = replace(options, known_steps=False, match=OFF, workers=1)
        super().__init__(NONE, rule_for(NONE), plain, Tally(options.distinct_cap), leads=False)
        self.tally = self.total

    @property
    def _order(self) -> TreeOrder:
        return TreeOrder(
            limits=self.rule.limits, max_steps=self._options.max_steps, sleep_sets=False, cartesian=True, identify=self._identify
        )

    @property
    def _saves(self) -> bool:
        return False

    def learn(self, trace: Trace) -> None:
        super().learn(trace)
        assert trace.batch is not None
        self.identified = self._identify and not self._workers[0].told.unidentified
        self.unidentified = self.unidentified or (trace.batch.unidentified if self._identify else "")

    @property
    def endless_shown(self) -> bool:
        return bool(self._workers[0].told.most_nodes)

    @property
    def states(self) -> int:
        return self._workers[0].told.states
