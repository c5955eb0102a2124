"""Table: nodes whose futures are known. A node is (identity, who ran last or nobody if leaving it is free, what the fair bound counts).

An entry only saves work, so forgetting one is sound at any time; only the nodes of the current stack must be kept, and those are elsewhere.
Entries of a component that is still being explored are *open*: what lies below them is not known yet, but it reaches back to a frame of the
stack. They belong to a group, which moves up with the frames that are left and closes with the lowest one that they reach.
"""

from __future__ import annotations

from collections.abc import Iterator

from bpor.model.operation import ObjectAccess
from bpor.search.engine.watch import Watch

Node = tuple[int, int, tuple[int, ...], int]
Summary = dict[int, set[ObjectAccess]]  # thread -> what it would do next at some state at or below a node

END = ObjectAccess(-1, True)  # in a summary: the thread would end the process, which depends on everything


def add_summary(to: Summary, more: Summary) -> None:
    for thread, accesses in more.items():
        known = to.get(thread)
        if known is None:
            to[thread] = set(accesses)
        else:
            known |= accesses


class OpenGroup:
    """Open entries that reach back to the same frame."""

    __slots__ = ("cross", "exceeded", "frame", "into", "open", "summary")

    def __init__(self, frame: int) -> None:
        self.frame = frame  # where they are anchored
        self.open = True
        self.into: OpenGroup | None = None  # it was merged
        self.summary: Summary = {}
        self.cross = 0
        self.exceeded = False

    def found(self) -> OpenGroup:
        group = self
        while group.into is not None:
            group = group.into
        return group

    def close(self, summary: Summary, cross: int, exceeded: bool) -> None:
        self.open = False
        self.summary, self.cross, self.exceeded = summary, cross, exceeded


class Entry:
    __slots__ = ("_cross", "_exceeded", "_summary", "group", "sleep", "used")

    def __init__(self, used: int, sleep: dict[int, Watch], summary: Summary, cross: int, exceeded: bool, group: OpenGroup | None) -> None:
        self.used = used  # preemptions
        self.sleep = sleep  # who slept, and was not tried
        self.group = group
        self._summary, self._cross, self._exceeded = summary, cross, exceeded

    @property
    def anchor(self) -> int | None:
        """The frame at which it is anchored while it is open."""
        group = self.group.found() if self.group is not None else None
        return group.frame if group is not None and group.open else None

    @property
    def summary(self) -> Summary:
        return self._summary if self.group is None else self.group.found().summary

    @property
    def cross(self) -> int:
        """Threads to be tried, conservatively, at the start of a block that runs on through the node."""
        return self._cross if self.group is None else self.group.found().cross

    @property
    def exceeded(self) -> bool:
        return self._exceeded or (self.group is not None and self.group.found().exceeded)

    def covers(self, used: int, sleep: dict[int, Watch]) -> bool:
        """Was everything tried below it that a visit with these preemptions and sleepers would try? (errata E35, E39)"""
        if self.used > used:
            return False
        return all(thread in sleep and sleep[thread].within(watch) for thread, watch in self.sleep.items())


class Table:
    def __init__(self, capacity: int) -> None:
        self.capacity = capacity
        self._entries: dict[Node, list[Entry]] = {}
        self.size = 0

    def of(self, node: Node) -> list[Entry]:
        return self._entries.get(node, [])

    def add(self, node: Node, entry: Entry) -> None:
        if self.size >= self.capacity:
            self._make_room()
        self._entries.setdefault(node, []).append(entry)
        self.size += 1

    def _make_room(self) -> None:
        """A quarter of the entries goes, the oldest of those that are closed first."""
        closed = [node for node, entries in self._entries.items() if all(entry.anchor is None for entry in entries)]
        for node in (*closed, *self._entries)[: self.capacity // 4 + 1]:
            self.forget(node)

    def forget(self, node: Node) -> None:
        gone = len(self._entries.pop(node, ()))
        self.size -= gone

    def __iter__(self) -> Iterator[Node]:
        return iter(self._entries)
