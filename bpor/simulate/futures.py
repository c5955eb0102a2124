"""Futures: what a thread may still touch from a place on, as far as any search has seen: places, and the steps between them.

Invariant: everything that was seen of a thread at a place counts from every state in which it stands there, however unlikely; what is
said today may become more tomorrow, never less.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable

from bpor.lazy_dataclass import dataclass, field
from bpor.model.operation import Footprint, ObjectAccess
from bpor.model.solo import ANY_THREAD, SoloFuture, joining
from bpor.protocol.ops import Op
from bpor.simulate.unroll import UnrolledNode
from bpor.simulate.world import Path

Spot = tuple[Path, Hashable]  # a thread at a place


@dataclass(slots=True)
class _Seen:
    touches: set[ObjectAccess] = field(default_factory=set)
    ends: bool = False
    following: set[Spot] = field(default_factory=set)


class Futures:
    def __init__(self) -> None:
        self._seen: dict[Spot, _Seen] = {}

    def stands(self, spot: Spot, node: UnrolledNode) -> None:
        """A thread was seen there, with its next operation still to come."""
        if spot not in self._seen and node.action is not None:
            joins = joining(ANY_THREAD) if node.action.kind is Op.JOIN else ()  # numbers of threads differ between states
            self._seen[spot] = _Seen({*node.action.footprint, *joins}, node.action.kind.ends)

    def stepped(self, spot: Spot, footprint: Footprint, ends: bool, following: Iterable[Spot]) -> None:
        """It made a step from there: on to `following`, its own next place and those of threads it created."""
        seen = self._seen[spot]
        seen.touches.update(footprint)
        seen.following.update(following)
        seen.ends |= ends

    def of(self, spot: Spot) -> SoloFuture:
        touches: set[ObjectAccess] = set()
        ends = False
        reached, waiting = {spot}, [spot]
        while waiting:
            seen = self._seen.get(waiting.pop())
            if seen is not None:
                touches |= seen.touches
                ends |= seen.ends
                waiting += seen.following - reached
                reached |= seen.following
        return SoloFuture(tuple(touches), ends)
