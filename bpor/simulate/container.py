"""Containers with weak accesses: an entry is read or written by itself, or the whole container is.

Weak accesses (one entry) conflict with each other only at the same entry; strong ones (the whole) conflict with whatever changes any entry:
    get   weak read       put    weak write
    look  read            clear  write
Footprints are the entries touched, so that conflict stays what it is everywhere: a shared object and a write.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import TYPE_CHECKING

from bpor.protocol.ops import Op
from bpor.simulate.action import MEMORY, Action, Effect, object_id, reads, writes

if TYPE_CHECKING:
    from bpor.simulate.world import World


class Container:
    """`name` and the numbers of its entries give their objects: at most 6 and 1 characters."""

    def __init__(self, name: str, entries: int) -> None:
        self.entries = tuple(object_id(MEMORY, f"{name}{number:x}") for number in range(entries))

    def get(self, entry: int) -> Action:
        return _Read((self.entries[entry],))

    def look(self) -> Action:
        return _Read(self.entries)

    def put(self, entry: int, value: Hashable = 1) -> Action:
        return _Write((self.entries[entry],), value)

    def clear(self) -> Action:
        return _Write(self.entries, 0)


class _Read(Action):
    kind = Op.READ

    def __init__(self, entries: tuple[int, ...]) -> None:
        self._entries = entries
        self.footprint = reads(*entries)

    def run(self, world: World, thread: int) -> Effect:
        return Effect(tuple(world.objects.get(entry, 0) for entry in self._entries), self.footprint)


class _Write(Action):
    kind = Op.WRITE

    def __init__(self, entries: tuple[int, ...], value: Hashable) -> None:
        self._entries, self._value = entries, value
        self.footprint = writes(*entries)

    def run(self, world: World, thread: int) -> Effect:
        for entry in self._entries:
            world.objects[entry] = self._value
        return Effect(None, self.footprint)
