"""Delta bound (delay bounding): a round-robin scheduler that keeps the last thread; passing over an enabled thread costs one delay each.

rotation at a state: the enabled threads from the last one on, by number, wrapping round. The first costs nothing, the k-th k-1 delays;
those that a fair bound keeps waiting are passed over for nothing. A thread behind others in the rotation becomes cheaper when those end or
block, hence the threads before it are points too; a release may change who is enabled, hence all are: but only where the bound has
refused something below.

Who sleeps: to run t before u and what follows it costs no more than to run it later, if t stands before u in the rotation and its step
enables nobody. So a thread sleeps beside those behind it, and a release never does.
"""

from __future__ import annotations

from bpor.model.plan import Limits
from bpor.model.policy import passed_over
from bpor.model.step import Step
from bpor.search.bounds.runahead import RunAhead
from bpor.search.engine.frame import Frame
from bpor.search.engine.tree import Tree


class Delta(RunAhead):
    knows_whole = True

    def __init__(self, delays: int, fair: int | None = None) -> None:
        super().__init__(None, fair)
        self.limits = Limits(fair=fair, delta=delays)
        self.most = delays
        self.releases_sleep = False
        self.sleeps_beside_timed = False

    def enter(self, tree: Tree, frame: Frame, before: Frame | None, step: Step | None) -> None:
        super().enter(tree, frame, before, step)
        # Points are set later, when what is pending here is no longer at hand.
        pending = ((thread, state.operation) for thread, state in tree.history.threads.items())
        frame.releasers = sum(1 << thread for thread, operation in pending if operation is not None and operation.kind.releases)

    def charge(self, frame: Frame, thread: int) -> int:
        return (passed_over(frame.enabled, frame.last, thread) & ~frame.fair_blocked).bit_count()

    def initial(self, tree: Tree, frame: Frame, chosen: int) -> int:
        if self.fair is not None or frame.releasers >> chosen & 1:
            tree.all_enabled(frame.index, conservative=True)
        return super().initial(tree, frame, chosen)

    def backtrack(self, tree: Tree, index: int, thread: int) -> None:
        tree.add(index, thread)
        frame = tree.frames[index]
        if frame.enabled >> thread & 1 and not frame.releasers >> thread & 1:
            tree.add_mask(index, 1 << thread | passed_over(frame.enabled, frame.last, thread), conservative=True)
        else:
            tree.all_enabled(index, conservative=True)

    def sleeps_beside(self, frame: Frame, sleeper: int, thread: int) -> bool:
        return self.fair is None and bool(passed_over(frame.enabled, frame.last, thread) >> sleeper & 1)


class Delays(Delta):
    """The same bound without reduction: delay-bounded search as published (Emmi, Qadeer, Rakamaric, POPL 2011)."""

    reduces = False
    sleeps = False

    def initial(self, tree: Tree, frame: Frame, chosen: int) -> int:
        return frame.enabled
