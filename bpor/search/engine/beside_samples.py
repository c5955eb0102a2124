"""BesideSamples: executions that are drawn beside the program (csrc/beside/sampling.c). By one process; never finished."""

from __future__ import annotations

from bpor.lazy_dataclass import replace
from bpor.model.exploration import Sample, TreeOrder
from bpor.search.bounds.bound import NONE
from bpor.search.bounds.rules import rule_for
from bpor.search.engine.beside_tree import BesideTree
from bpor.search.options import OFF, SearchOptions
from bpor.search.tally import Tally


class BesideSamples(BesideTree):
    def __init__(self, sample: Sample, options: SearchOptions, tally: Tally) -> None:
        super().__init__(NONE, rule_for(NONE), replace(options, known_steps=False, match=OFF, workers=1), tally, leads=False)
        self.tally = tally
        self._sample = sample

    @property
    def _order(self) -> TreeOrder:
        return TreeOrder(limits=self.rule.limits, max_steps=self._options.max_steps, sample=self._sample)

    @property
    def longest(self) -> int:
        """Of the executions, in steps."""
        return self._workers[0].told.longest or self._sample.longest
