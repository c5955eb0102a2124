"""BestFirstNode: one state of the execution tree, with the step that led to it.

Invariant: a node lives only while a choice is open at it or below it, so that storage follows the open executions (GAMBIT's
self-deleting nodes): `release` takes a node away as soon as that ends, and with it every ancestor that was kept for it alone.
"""

from __future__ import annotations

from bpor.model.step import Step
from bpor.search.engine.frame import Frame


class BestFirstNode:
    __slots__ = ("children", "frame", "open", "parent", "ranked", "schedule", "sleeping", "step", "tried")

    def __init__(self, frame: Frame, parent: BestFirstNode | None = None, step: Step | None = None) -> None:
        self.frame = frame
        self.parent = parent
        self.step = step  # the one that led here; None at the root
        self.children: dict[int, BestFirstNode] = {}  # by thread
        self.open: dict[int, int] = {}  # thread -> serial number of its entry in the fringe
        self.ranked = 0  # frame.raced when the open choices were last ranked
        self.schedule = 0  # hash of the threads that led here
        self.sleeping = 0  # plain sleep set: threads that would only repeat what a sibling above has begun
        self.tried = 0  # threads that ran here
        if parent is not None and step is not None:
            parent.children[step.thread] = self

    def path(self) -> list[BestFirstNode]:
        """From the root to this node."""
        nodes: list[BestFirstNode] = []
        node: BestFirstNode | None = self
        while node is not None:
            nodes.append(node)
            node = node.parent
        nodes.reverse()
        return nodes

    def release(self) -> int:
        """Takes away this node and the ancestors that nothing open needs any more; says how many went."""
        gone = 0
        node: BestFirstNode | None = self
        while node is not None and not node.open and not node.children:
            gone += 1
            if node.parent is not None and node.step is not None:
                node.parent.children.pop(node.step.thread, None)
            node = node.parent
        return gone
