"""Cells: the objects of a program as byte ranges, and who touched each of them along the current stack.

Two accesses share an object iff their ranges overlap. Each distinct range is one cell; `near` lists the cells that overlap it,
itself included. An access is recorded in its own cell only and looked up in all near ones, so a range met late misses nothing.
Invariant: what a cell holds describes exactly the steps on the stack (History undoes every change); cells themselves stay.
"""

from __future__ import annotations

from bisect import bisect_left, insort

from bpor.model.operation import Footprint, ObjectAccess
from bpor.search.engine.clock import NEVER, Clock
from bpor.search.engine.watch import Watch


class Cell:
    """`writers` and `readers`: thread -> index of its last step that wrote (read) this range."""

    __slots__ = (
        "access", "last_write", "near", "pending_access", "pending_write", "readers", "reads_clock", "reads_hash", "write_hash", "writers",
    )  # fmt: skip

    def __init__(self, access: ObjectAccess) -> None:
        self.access = access  # its range; `write` means nothing here
        self.near: list[Cell] = [self]
        self.writers: dict[int, int] = {}
        self.readers: dict[int, int] = {}
        self.last_write = -1  # index of the last step that wrote it
        self.write_hash = 0  # of that step
        self.reads_hash = 0  # sum over the reads since
        self.reads_clock: Clock = NEVER  # join of the reads since the last write
        self.pending_access = 0  # mask of the threads whose pending operation touches it
        self.pending_write = 0


class Touches:
    """A footprint, resolved: its cells, and the watch set of a step that touches just them."""

    __slots__ = ("pairs", "watch")

    def __init__(self, pairs: tuple[tuple[Cell, bool], ...]) -> None:
        self.pairs = pairs
        self.watch = Watch(dict(_strongest(pairs)), closed=True)


class Cells:
    def __init__(self) -> None:
        self._known: dict[Footprint, Touches] = {}
        self._by_range: dict[tuple[int, int], Cell] = {}
        self._starts: list[tuple[int, int]] = []  # sorted (start, size)
        self._widest = 1

    def resolve(self, footprint: Footprint) -> Touches:
        touches = self._known.get(footprint)
        if touches is None:
            pairs = tuple((self._cell(access), access.write) for access in footprint)
            touches = self._known[footprint] = Touches(tuple(_strongest(pairs)))
        return touches

    def _cell(self, access: ObjectAccess) -> Cell:
        key = (access.object, access.size)
        cell = self._by_range.get(key)
        if cell is None:
            cell = self._by_range[key] = Cell(access)
            for other in self._overlapping(access):
                other.near.append(cell)
                cell.near.append(other)
            insort(self._starts, key)
            self._widest = max(self._widest, access.size)
        return cell

    def _overlapping(self, access: ObjectAccess) -> list[Cell]:
        first = bisect_left(self._starts, (access.object - self._widest + 1, 0))
        last = bisect_left(self._starts, (access.object + access.size, 0))
        cells = (self._by_range[key] for key in self._starts[first:last])
        return [cell for cell in cells if cell.access.overlaps(access)]


def _strongest(pairs: tuple[tuple[Cell, bool], ...]) -> list[tuple[Cell, bool]]:
    """Each cell once; a write covers a read of the same range."""
    merged: dict[Cell, bool] = {}
    for cell, write in pairs:
        merged[cell] = write or merged.get(cell, False)
    return list(merged.items())
