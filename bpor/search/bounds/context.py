"""Context bound: every change of thread counts, whether the thread left could go on or not (BPOR 2013, section on context bounds).

Leaving a blocked thread costs whoever is chosen, so every choice there must be tried, and a race opens all threads at its state: but only
where the bound has refused something below, because a tree in which nothing was refused needs no points but those of unbounded search.

Who sleeps: a thread that was last may be run first at no cost, so it watches its next step. Another one has cost a switch, which its whole
block shares: it watches all it does until it cannot go on, and the operation it then waits for, because others may let it go on there
(erratum E60).
"""

from __future__ import annotations

from bpor.model.plan import Limits
from bpor.search.bounds.runahead import RunAhead
from bpor.search.engine.frame import Frame
from bpor.search.engine.tree import Tree


class Context(RunAhead):
    watches_waits = True
    knows_whole = True

    def __init__(self, switches: int, fair: int | None = None) -> None:
        super().__init__(None, fair)
        self.limits = Limits(fair=fair, context=switches)
        self.most = switches
        self.watches_blocks = True

    def leaving_is_free(self, frame: Frame, cuts: bool) -> bool:
        """A block ends where its thread cannot go on, and nowhere else: leaving it costs everywhere."""
        return frame.last is None or not frame.enabled >> frame.last & 1 or bool(frame.fair_blocked >> frame.last & 1)

    def charge(self, frame: Frame, thread: int) -> int:
        return frame.last is not None and frame.last != thread

    def initial(self, tree: Tree, frame: Frame, chosen: int) -> int:
        if chosen != frame.last:
            tree.all_enabled(frame.index, conservative=True)
        return super().initial(tree, frame, chosen)

    def backtrack(self, tree: Tree, index: int, thread: int) -> None:
        tree.add(index, thread)
        tree.all_enabled(index, conservative=True)
