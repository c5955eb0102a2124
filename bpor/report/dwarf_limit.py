"""Limit: the reader of debug information gives up after a certain amount of work, which is counted in function calls and not in time.

A damaged file can send a reader round and round (an entry whose sibling is before it, a table of 2**60 empty entries). Every such loop
calls something. Invariant: one look-up in a sound file is far below what its size allows, however many there were before; a file that
once was beyond it is not read again.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

_AT_LEAST, _PER_BYTE = 300_000, 12  # looking up everything there is took 2 to 6 per byte


class Exhausted(Exception):
    """More work than a sound file of this size makes."""


class Limit:
    def __init__(self, size: int) -> None:
        """`size`: of the file."""
        self._most = self._left = _AT_LEAST + _PER_BYTE * size

    @property
    def exhausted(self) -> bool:
        return self._left < 0

    @contextmanager
    def held(self) -> Iterator[None]:
        outer = sys.getprofile()
        if outer != self._count:
            self._left = -1 if self.exhausted else self._most
            sys.setprofile(self._count)
        try:
            yield
        finally:
            if outer != self._count:
                sys.setprofile(outer)

    def _count(self, frame: FrameType, event: str, argument: Any) -> None:
        if event == "call":
            self._left -= 1
            if self._left < 0:
                raise Exhausted
