"""The bounds of run-ahead where states are recognised. They differ from bounds/runahead.py in two ways:

fair        yields are normalised after each step, else a loop that yields would never come back to a state (erratum E41)
preemption  leaving a thread is also free where it comes back to the same state if it runs on alone (erratum E37)
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from bpor.model.policy import normalised
from bpor.model.step import Step
from bpor.search.bounds.runahead import RunAhead
from bpor.search.engine.frame import Frame
from bpor.search.engine.tree import Tree

if TYPE_CHECKING:
    from bpor.search.cycles.tree import MatchingTree


class Recognising(RunAhead):
    matching: MatchingTree
    _counted: tuple[int, ...] = ()  # yields after the last step: a thread that ended by it counts as long as its end is looked at

    def enter(self, tree: Tree, frame: Frame, before: Frame | None, step: Step | None) -> None:
        super().enter(tree, frame, before, step)
        self._counted = frame.yields
        if self.fair is not None:
            frame.yields = normalised(frame.yields, tree.history.live, self.fair)
            frame.circling &= tree.history.live
        self.matching.arrive(frame, step)

    def counted(self, tree: Tree) -> tuple[int, ...]:
        return self._counted
