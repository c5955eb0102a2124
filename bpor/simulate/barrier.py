"""Barriers: arrive (always enabled), then leave (enabled when the phase is complete). State: (phase, arrived in it).

Both read the barrier; an arrival writes the arrivals and its phase, and who leaves reads the phase: so leaving one phase is independent of
arriving at the next. At which phase a thread arrives is known when it does; nobody leaves that phase before.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import TYPE_CHECKING

from bpor.protocol.ops import Op
from bpor.simulate.action import SYNC, Action, Effect, object_id, reads, writes

if TYPE_CHECKING:
    from bpor.simulate.world import World


def phase_and_arrived(world: World, barrier: int) -> tuple[int, int]:
    state = world.objects.get(barrier, (0, 0))
    assert isinstance(state, tuple)
    return state


class Arrive(Action):
    kind = Op.BARRIER_ARRIVE

    def __init__(self, name: str, parties: int) -> None:
        self.barrier, self.parties = object_id(SYNC, name), parties
        self.name = name
        self.footprint = reads(self.barrier) + writes(object_id(SYNC, f"{name}+"))

    def run(self, world: World, thread: int) -> Effect:
        phase, arrived = phase_and_arrived(world, self.barrier)
        serial = arrived + 1 == self.parties
        world.objects[self.barrier] = (phase + 1, 0) if serial else (phase, arrived + 1)
        of_phase = object_id(SYNC, f"{self.name}{phase % 100}")
        return Effect(None, self.footprint + writes(of_phase), then=Leave(self.barrier, of_phase, phase, serial))


class Leave(Action):
    """Observes True in the last arriver only (PTHREAD_BARRIER_SERIAL_THREAD)."""

    kind = Op.BARRIER_LEAVE

    def __init__(self, barrier: int, of_phase: int, phase: int, serial: bool) -> None:
        self.barrier, self.phase, self.serial = barrier, phase, serial
        self.footprint = reads(barrier, of_phase)

    def ready(self, world: World, thread: int) -> bool:
        return phase_and_arrived(world, self.barrier)[0] > self.phase

    def run(self, world: World, thread: int) -> Effect:
        return Effect(self.serial, self.footprint)

    def key(self) -> Hashable:
        return (self.phase, self.serial)


def barrier_wait(name: str = "b", parties: int = 2) -> Action:
    return Arrive(name, parties)
