"""Distinct: how many different 64-bit hashes were seen, in 8 bytes each and never more than `cap` of them.

Adaptive sampling (Wegman; Flajolet, "On adaptive sampling", 1990): exact until the table is full; from then on only hashes
whose low `level` bits are zero are kept, and the count is scaled. Invariant: count is exact iff not estimated.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable
from typing import Any

from bpor.model.exploration import Hashes

_MASK = (1 << 64) - 1
_SPREAD = 0x9E3779B97F4A7C15  # 2^64 / golden ratio: the slot must not depend on the bits that sampling fixes


class Distinct:
    def __init__(self, cap: int) -> None:
        self._cap = max(cap, 16)
        self._level = 0  # bits that must be zero in a kept hash
        self._used = 0
        self._has_zero = False  # 0 marks a free slot, so the hash 0 is kept aside
        self._bits = 8
        self._slots = array("Q", bytes(8 << self._bits))

    def add(self, value: int) -> None:
        self.add_all((value & _MASK,))

    def add_all(self, values: Iterable[int]) -> None:
        """64-bit hashes, in this order."""
        slots, shift, mask, left_out = self._slots, 64 - self._bits, len(self._slots) - 1, (1 << self._level) - 1
        remaining = iter(values)
        for value in remaining:
            if value & left_out:
                continue
            if value == 0:
                self._has_zero = True
                continue
            slot = (value * _SPREAD & _MASK) >> shift
            while (held := slots[slot]) and held != value:
                slot = (slot + 1) & mask
            if held:
                continue
            slots[slot] = value
            self._used += 1
            if self._used * 4 > len(slots) * 3:
                self._make_room()
                return self.add_all(remaining)

    @property
    def count(self) -> int:
        return (self._used + self._has_zero) << self._level

    @property
    def estimated(self) -> bool:
        return self._level > 0

    def save(self) -> dict[str, Any]:
        """For a later process (resume.py)."""
        return {"level": self._level, "used": self._used, "zero": self._has_zero, "bits": self._bits, "slots": self._slots.tobytes()}

    def load(self, saved: dict[str, Any]) -> None:
        self._slots = array("Q", saved["slots"])
        self._level, self._used, self._has_zero, self._bits = saved["level"], saved["used"], saved["zero"], saved["bits"]
        if len(self._slots) != 1 << self._bits:
            raise ValueError("a table of hashes is damaged")

    def _make_room(self) -> None:
        kept = [value for value in self._slots if value]
        while len(kept) >= self._cap:
            self._level += 1
            kept = [value for value in kept if not value & ((1 << self._level) - 1)]
        while len(kept) * 4 > 1 << self._bits:
            self._bits += 1
        self._slots = array("Q", bytes(8 << self._bits))
        self._used = 0
        self.add_all(kept)


class ToldDistinct(Distinct):
    """A table that somebody else fills (csrc/engine/distinct.c, slot by slot the same): its numbers, and the table when it is asked for."""

    def __init__(self, told: Hashes) -> None:
        super().__init__(0)
        self._level, self._used, self._has_zero, self._bits = told.level, told.used, told.zero, told.bits
        self._table = told.table

    def save(self) -> dict[str, Any]:
        return super().save() | {"slots": self._table()}
