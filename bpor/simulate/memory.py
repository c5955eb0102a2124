"""Accesses of shared variables; every variable starts at 0 unless the program says otherwise."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import TYPE_CHECKING

from bpor.protocol.ops import Op
from bpor.simulate.action import MEMORY, Action, Effect, object_id, reads, writes

if TYPE_CHECKING:
    from bpor.simulate.world import World


class Read(Action):
    kind = Op.READ

    def __init__(self, variable: str) -> None:
        self.variable = object_id(MEMORY, variable)
        self.footprint = reads(self.variable)

    def run(self, world: World, thread: int) -> Effect:
        return Effect(world.objects.get(self.variable, 0), self.footprint)


class Write(Action):
    kind = Op.WRITE

    def __init__(self, variable: str, value: Hashable) -> None:
        self.variable, self.value = object_id(MEMORY, variable), value
        self.footprint = writes(self.variable)

    def run(self, world: World, thread: int) -> Effect:
        world.objects[self.variable] = self.value
        return Effect(None, self.footprint)


class ReadModifyWrite(Action):
    """Observes the old value."""

    kind = Op.RMW

    def __init__(self, variable: str, change: Callable[[int], int]) -> None:
        self.variable, self.change = object_id(MEMORY, variable), change
        self.footprint = writes(self.variable)

    def run(self, world: World, thread: int) -> Effect:
        old = world.objects.get(self.variable, 0)
        assert isinstance(old, int)
        world.objects[self.variable] = self.change(old)
        return Effect(old, self.footprint)


class CompareExchange(Action):
    """Observes the old value. Pending it is a write; a failed one was a read."""

    kind = Op.CAS

    def __init__(self, variable: str, expected: Hashable, desired: Hashable) -> None:
        self.variable, self.expected, self.desired = object_id(MEMORY, variable), expected, desired
        self.footprint = writes(self.variable)

    def run(self, world: World, thread: int) -> Effect:
        old = world.objects.get(self.variable, 0)
        if old != self.expected:
            return Effect(old, reads(self.variable), failed=True)
        world.objects[self.variable] = self.desired
        return Effect(old, self.footprint)


def read(variable: str) -> Action:
    return Read(variable)


def write(variable: str, value: Hashable = 1) -> Action:
    return Write(variable, value)


def rmw(variable: str, change: Callable[[int], int] = lambda old: old + 1) -> Action:
    return ReadModifyWrite(variable, change)


def cas(variable: str, expected: Hashable, desired: Hashable) -> Action:
    return CompareExchange(variable, expected, desired)
