"""Events, hash-consed: (thread, how many of its steps came before, kind and the way it went, set of direct happens-before predecessors).

An event is a number that stands for its whole causal past, exactly, without collisions: two prefixes of executions are the same
Mazurkiewicz trace iff the last events of their threads are the same. Predecessors come from executed footprints, program order, spawn
and join; the end of the process comes after everything.
"""

from __future__ import annotations

from bpor.model.operation import Footprint
from bpor.protocol.ops import Op
from bpor.simulate.world import Path, World

_Key = tuple[Path, int, int, frozenset[int]]
_NUMBER_BITS = 8  # of an operation's number


def event_kind(kind: Op, alternative: int) -> int:
    """What an event is: the operation, and the way it went."""
    return kind.number | alternative << _NUMBER_BITS


def number_of(event_kind: int) -> int:
    """The operation's."""
    return event_kind & (1 << _NUMBER_BITS) - 1


class EventTable:
    """Interns events; shared by everything that is to be compared."""

    def __init__(self) -> None:
        self.numbers: dict[_Key, int] = {}
        self.keys: list[_Key] = []
        self.pasts: list[int] = []  # mask of the events in each event's causal past, itself included

    def intern(self, key: _Key) -> int:
        number = self.numbers.get(key)
        if number is None:
            number = self.numbers[key] = len(self.pasts)
            past = 1 << number
            for predecessor in key[3]:
                past |= self.pasts[predecessor]
            self.pasts.append(past)
            self.keys.append(key)
        return number

    def past(self, event: int) -> list[int]:
        """Its causal past, itself included."""
        mask = self.pasts[event]
        return [each for each in range(event + 1) if mask >> each & 1]

    def depth(self, event: int) -> int:
        """Size of the causal past."""
        return self.pasts[event].bit_count()


class Causality:
    """The events of one execution so far."""

    __slots__ = ("counts", "last", "readers", "started_by", "table", "writer")

    def __init__(self, table: EventTable) -> None:
        self.table = table
        self.last: dict[Path, int] = {}  # last event of each thread
        self.counts: dict[Path, int] = {}
        self.started_by: dict[Path, int] = {}  # spawn event of threads that have not run yet
        self.writer: dict[int, int] = {}  # object -> last event that wrote it
        self.readers: dict[int, frozenset[int]] = {}  # object -> events that read it since

    def copy(self) -> Causality:
        twin = Causality(self.table)
        twin.last, twin.counts, twin.started_by = self.last.copy(), self.counts.copy(), self.started_by.copy()
        twin.writer, twin.readers = self.writer.copy(), self.readers.copy()
        return twin

    def add(self, world: World, thread: int, kind: int, footprint: Footprint, joined: Path | None, ends: bool) -> int:
        """The step that `thread` just performed in `world`."""
        path = world.paths[thread]
        before: set[int] = set()
        for origin in (self.last.get(path), self.started_by.pop(path, None), self.last.get(joined) if joined is not None else None):
            if origin is not None:
                before.add(origin)
        if ends:
            before.update(self.last.values())
        for access in footprint:
            if access.object in self.writer:
                before.add(self.writer[access.object])
            if access.write:
                before |= self.readers.get(access.object, frozenset())
        index = self.counts.get(path, 0)
        event = self.table.intern((path, index, kind, frozenset(before)))
        self.last[path], self.counts[path] = event, index + 1
        for access in footprint:
            if access.write:
                self.writer[access.object] = event
                self.readers.pop(access.object, None)
            else:
                self.readers[access.object] = self.readers.get(access.object, frozenset()) | {event}
        for created in world.fresh:
            self.started_by[world.paths[created]] = event
        return event

    def key(self) -> frozenset[int]:
        """The trace so far."""
        return frozenset(self.last.values())
