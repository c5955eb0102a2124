"""Delta bound (delay bounding): a round-robin scheduler that keeps the last thread; passing over an enabled thread costs one delay each.

rotation at a state: the enabled threads from the last one on, by number, wrapping round. The first costs nothing, the k-th k-1 delays.
A thread behind others in the rotation becomes cheaper when those end or block, hence the threads before it are points too; a release may
change who is enabled, hence all are.
"""

from __future__ import annotations

from bpor.model.plan import Chooser, State
from bpor.model.step import Step
from bpor.search.bounds.asked import Asked, lowest
from bpor.search.engine.frame import Frame
from bpor.search.engine.tree import Tree


class Delta(Asked):
    def __init__(self, delays: int) -> None:
        self.delays = delays

    def enter(self, tree: Tree, frame: Frame, before: Frame | None, step: Step | None) -> None:
        if before is not None and step is not None:
            frame.cost = before.cost + passed_over(before.enabled, before.last, step.thread).bit_count()
        # Points are set later, when what is pending here is no longer at hand.
        pending = ((thread, state.operation) for thread, state in tree.history.threads.items())
        frame.releasers = sum(1 << thread for thread, operation in pending if operation is not None and operation.kind.releases)

    def initial(self, tree: Tree, frame: Frame, chosen: int) -> int:
        return frame.enabled if frame.releasers >> chosen & 1 else 0

    def refuses(self, frame: Frame, thread: int) -> bool:
        return frame.cost + passed_over(frame.enabled, frame.last, thread).bit_count() > self.delays

    def backtrack(self, tree: Tree, index: int, thread: int) -> None:
        frame = tree.frames[index]
        if frame.enabled >> thread & 1 and not frame.releasers >> thread & 1:
            frame.backtrack |= 1 << thread | passed_over(frame.enabled, frame.last, thread)
        else:
            frame.backtrack |= frame.enabled

    def chooser(self, tree: Tree, thread: int | None) -> Chooser:
        return first_in_rotation


class Delays(Delta):
    """The same bound without reduction: delay-bounded search as published (Emmi, Qadeer, Rakamaric, POPL 2011)."""

    reduces = False

    def initial(self, tree: Tree, frame: Frame, chosen: int) -> int:
        return frame.enabled


def first_in_rotation(state: State) -> int:
    ahead = state.enabled >> (state.last or 0) << (state.last or 0)
    return lowest(ahead or state.enabled)


def passed_over(enabled: int, last: int | None, thread: int) -> int:
    """Mask of the enabled threads that come before `thread` in the rotation."""
    head = last or 0
    below_thread = (1 << thread) - 1
    below_head = (1 << head) - 1
    if thread >= head:
        return enabled & below_thread & ~below_head
    return enabled & (~below_head | below_thread)
