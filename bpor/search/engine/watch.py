"""Watch: the accesses whose conflicts wake a sleeping thread (the thread's next step, or all it does until it stops).

Invariant: exact; a watch that was cut short, or that grew beyond LARGEST objects, is never used (`usable`), in any engine, so that
engines agree execution by execution.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from bpor.model.operation import Footprint, ObjectAccess

if TYPE_CHECKING:
    from bpor.search.engine.cells import Cell, Touches

LARGEST = 4096


class Watch:
    __slots__ = ("_cells", "_footprint", "_open", "dead")

    def __init__(self, cells: dict[Cell, bool], closed: bool = False) -> None:
        self._cells = cells
        self._open = not closed
        self._footprint: Footprint | None = None
        self.dead = False  # can never be used: a step in it must not sleep

    def extend(self, touches: Touches) -> None:
        cells = self._cells
        for cell, write in touches.pairs:
            if write or cell not in cells:
                cells[cell] = write
        if len(cells) > LARGEST:
            self.dead = True

    def with_(self, other: Watch) -> Watch:
        """What wakes either."""
        both = Watch(self._cells | {cell: write or self._cells.get(cell, False) for cell, write in other._cells.items()}, closed=True)
        both.dead = not (self.usable and other.usable)
        return both

    def reopen(self) -> None:
        """The thread is run once more, otherwise: what it does then is added."""
        self.dead |= self._open  # an execution was cut: not all is known
        self._open = True
        self._footprint = None

    def close(self) -> None:
        """The thread stopped by itself: everything it does without interruption is known."""
        self._open = False

    @property
    def usable(self) -> bool:
        return not (self._open or self.dead)

    def conflicts(self, touches: Touches) -> bool:
        cells = self._cells
        for cell, write in touches.pairs:
            for near in cell.near:
                watched = cells.get(near)
                if watched is not None and (write or watched):
                    return True
        return False

    def within(self, other: Watch) -> bool:
        """Does `other` wake whenever this one does?"""
        cells = other._cells
        return all(cell in cells and (cells[cell] or not write) for cell, write in self._cells.items())

    def footprint(self) -> Footprint:
        if self._footprint is None:
            ranges = ((cell.access, write) for cell, write in self._cells.items())
            self._footprint = tuple(sorted(ObjectAccess(access.object, write, access.size) for access, write in ranges))
        return self._footprint


def union(watches: Iterable[Watch | None]) -> Watch | None:
    """What wakes any; None: there are none, or one of them must not sleep."""
    whole: Watch | None = None
    for number, watch in enumerate(watches):
        if watch is None:
            return None
        whole = watch if number == 0 or whole is None else whole.with_(watch)
    return whole
