"""Preemption sealing (Ball et al., TACAS 2010): code that is trusted to be atomic is not preempted, within any bound of run-ahead.

A thread is inside a seal between two of its steps if both are of one call of sealed code, it could go on, and it did not yield. Nobody
else runs there. A race with a step inside is reversed where the sealed run began, so that every order of whole sealed runs is still tried.
What blocks or yields inside a seal is left, as ever.
Invariant: a schedule is excluded only by a preemption inside a seal. No sleep sets: what a sleeper is watched for ends at a seal, untested.
"""

from __future__ import annotations

from bpor.model.operation import Operation
from bpor.model.step import Step
from bpor.search.bounds.bound import Bound, BoundKind
from bpor.search.bounds.runahead import RunAhead
from bpor.search.engine.frame import Frame
from bpor.search.engine.tree import Tree
from bpor.search.options import Sealing


class Sealed(RunAhead):
    beside = False
    sleeps = False

    def __init__(self, sealed: Sealing, preemption: int | None = None, fair: int | None = None) -> None:
        super().__init__(preemption, fair)
        self.release_optimisation = False
        self._sealed = sealed

    def enter(self, tree: Tree, frame: Frame, before: Frame | None, step: Step | None) -> None:
        super().enter(tree, frame, before, step)
        if before is not None and step is not None and not frame.free:
            following: Operation | None = tree.history.operation(step.thread)
            if following is not None and self._sealed(step.operation, following):
                frame.atomic = before.atomic

    def refuses(self, frame: Frame, thread: int) -> bool:
        inside = frame.atomic != frame.index and thread != frame.last
        return inside or super().refuses(frame, thread)

    def backtrack(self, tree: Tree, index: int, thread: int) -> None:
        super().backtrack(tree, index, thread)
        begin = tree.frames[index].atomic
        if begin != index:
            tree.add(begin, thread)


class SealedEverything(Sealed):
    """No reduction: what the reduction within seals is compared with."""

    reduces = False

    def __init__(self, sealed: Sealing, preemption: int | None = None, fair: int | None = None) -> None:
        super().__init__(sealed, preemption, fair)
        self.watches_blocks = False

    def initial(self, tree: Tree, frame: Frame, chosen: int) -> int:
        return frame.enabled


def sealed_rule(level: Bound, sealed: Sealing) -> Sealed:
    return Sealed(sealed, level.value(BoundKind.PREEMPTION), level.value(BoundKind.FAIR))
