"""Depth: at most so many steps. No reduction is possible with backtrack points (erratum E16): everything is tried.
`local-depth` reaches the same local states with reduction.
"""

from __future__ import annotations

from bpor.model.trace import Outcome
from bpor.search.bounds.runahead import Everything
from bpor.search.engine.frame import Frame
from bpor.search.engine.tree import Tree


class Depth(Everything):
    beside = False

    def __init__(self, depth: int) -> None:
        super().__init__()
        self.max_steps = depth

    def allows(self, tree: Tree, frame: Frame, thread: int) -> bool:
        return self.max_steps is None or frame.index < self.max_steps

    def outcome(self, outcome: Outcome) -> Outcome:
        return Outcome.OVER_BOUND if outcome is Outcome.STEP_LIMIT else outcome
