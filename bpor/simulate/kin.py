"""Kin: threads that one thread started alike, of which only the first goes on while they have done the same (csrc/runtime/kin.h).

Invariant: who is held back is a function of the causal pasts of threads, never of an order of independent steps.
"""

from __future__ import annotations

from collections.abc import Hashable

from bpor.model.operation import Footprint
from bpor.protocol.ops import Op
from bpor.simulate.world import World

_LOOKS = (Op.READ, Op.CAS)


class Kin:
    """Of one execution. `bounded`: within a preemption bound, where only threads that made no step yet are held back."""

    def __init__(self, world: World, bounded: bool) -> None:
        self._bounded = bounded
        self._groups: list[Hashable] = []  # of each thread
        self._seen: list[tuple[Hashable, ...] | None] = []  # what each has read, with versions; None: it has done more than read
        self._others: list[int] = []  # steps of each, other than creations
        self._versions: dict[int, int] = {}  # writes so far, by object
        for number, node in enumerate(world.nodes):
            self._add(node.body if number or not (world.main or world.leaves) else None)

    def _add(self, group: Hashable) -> None:
        self._groups.append(group)
        self._seen.append(())
        self._others.append(0)

    def held_back(self, world: World, ready: int) -> int:
        """A mask of threads that could run."""
        mask = 0
        for later in range(len(self._groups)):
            if ready >> later & 1 and any(ready >> earlier & 1 and self._alike(world, earlier, later) for earlier in range(later)):
                mask |= 1 << later
        return mask

    def _alike(self, world: World, one: int, other: int) -> bool:
        seen = self._seen[one]
        if self._groups[one] is None or self._groups[one] != self._groups[other] or seen is None or seen != self._seen[other]:
            return False
        action = world.nodes[one].action
        assert action is not None
        return world.nodes[one] is world.nodes[other] and not action.timed and not (self._bounded and seen)

    def step(self, world: World, thread: int, kind: Op, footprint: Footprint, yields: bool) -> None:
        """The step was performed; `world.fresh` are the threads that it created."""
        for number in world.fresh:
            self._add((thread, self._others[thread], world.nodes[number].body))
        seen = self._seen[thread]
        reads = bool(footprint) and kind in _LOOKS and not yields and not any(access.write for access in footprint)
        if reads and seen is not None:
            self._seen[thread] = *seen, *((access.object, self._versions.get(access.object, 0)) for access in footprint)
        else:
            self._seen[thread] = None
        self._others[thread] += kind is not Op.SPAWN
        for access in footprint:
            if access.write:
                self._versions[access.object] = self._versions.get(access.object, 0) + 1
