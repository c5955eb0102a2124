"""Distinct: how many different 64-bit hashes were seen, in 8 bytes each and never more than 3 * `cap` of them.

Adaptive sampling (Wegman; Flajolet, "On adaptive sampling", 1990): exact until the table is full; from then on only hashes
whose low `level` bits are zero are kept, and the count is scaled. Invariants: count is exact iff not estimated; the level is the least at
which no more than 3 * `cap` are kept, so that it, and the count, depend on which hashes were seen and on nothing else: several tables that
are put together say what one would have said.
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Collection, Iterable, Sequence
from typing import Any

from bpor.model.exploration import Hashes

_MASK = (1 << 64) - 1
_PACKED = 0  # instead of the number of bits, in what is saved: hashes without empty slots between them
_SPREAD = 0x9E3779B97F4A7C15  # 2^64 / golden ratio: the slot must not depend on the bits that sampling fixes


class Distinct:
    def __init__(self, cap: int) -> None:
        self._cap = max(cap, 16)
        self._level = 0  # bits that must be zero in a kept hash
        self._used = 0
        self._has_zero = False  # 0 marks a free slot, so the hash 0 is kept aside
        self._bits = 8
        self._slots = array("Q", bytes(8 << self._bits))
        self._packed: array[int] | None = None  # loaded, and not in the slots yet: whoever only adds other tables to it needs none

    def add(self, value: int) -> None:
        self.add_all((value & _MASK,))

    def add_all(self, values: Iterable[int]) -> None:
        """64-bit hashes, in this order."""
        if self._packed is not None:
            packed, self._packed = self._packed, None
            self._keep(packed)
        slots, shift, mask, left_out = self._slots, 64 - self._bits, len(self._slots) - 1, (1 << self._level) - 1
        remaining = iter(values)
        for value in remaining:
            if value & left_out:
                continue
            if value == 0:
                self._has_zero = True
                continue
            slot = value * _SPREAD >> shift & mask
            while (held := slots[slot]) and held != value:
                slot = (slot + 1) & mask
            if held:
                continue
            slots[slot] = value
            self._used += 1
            if self._used > 3 * self._cap or self._used * 4 > len(slots) * 3:
                self._make_room()
                return self.add_all(remaining)

    @property
    def count(self) -> int:
        return (self._used + self._has_zero) << self._level

    @property
    def estimated(self) -> bool:
        return self._level > 0

    @property
    def error(self) -> float:
        """Two standard deviations, as a part of the count: each hash was kept with probability 2^-level. 0: it is exact."""
        return 2 * math.sqrt((1 - 2.0**-self._level) / max(self._used, 1))

    def save(self) -> dict[str, Any]:
        """For a later process (resume.py)."""
        table = self.told()
        return {"level": table.level, "used": table.used, "zero": table.zero, "bits": table.bits, "slots": table.table()}

    def load(self, saved: dict[str, Any]) -> None:
        slots = array("Q", saved["slots"])
        self._level, self._has_zero = saved["level"], saved["zero"]
        if saved["bits"] == _PACKED:
            self._packed, self._used = slots, len(slots)
            return
        if not slots and saved["used"] == 0:  # of a tree that nobody has begun: there was no table yet
            slots = array("Q", bytes(8 << saved["bits"]))
        self._slots, self._used, self._bits = slots, saved["used"], saved["bits"]
        if len(self._slots) != 1 << self._bits:
            raise ValueError("a table of hashes is damaged")

    def told(self) -> Hashes:
        bits, slots = (self._bits, self._slots) if self._packed is None else (_PACKED, self._packed)
        table = slots.tobytes()
        return Hashes(self._level, self._used, self._has_zero, bits, lambda: table, self._cap)

    def _make_room(self) -> None:
        kept = [value for value in self._slots if value]
        while len(kept) > 3 * self._cap:
            self._level += 1
            kept = [value for value in kept if not value & ((1 << self._level) - 1)]
        self._keep(kept)

    def _keep(self, values: Sequence[int]) -> None:
        """These and no others."""
        while len(values) * 4 > 1 << self._bits and 1 << self._bits < 4 * self._cap:
            self._bits += 1
        self._slots = array("Q", bytes(8 << self._bits))
        self._used = 0
        self.add_all(values)


def united(tables: Sequence[Hashes], cap: int) -> Distinct:
    """What several tables hold together. `cap`: if none of them says its own."""
    return ToldDistinct(tables[0]) if len(tables) == 1 else UnitedDistinct(tables, max(table.cap for table in tables) or cap)


class UnitedDistinct(Distinct):
    """The hashes of several tables that others fill, put together when they are first asked for; before the next batch only."""

    def __init__(self, tables: Sequence[Hashes], cap: int) -> None:
        super().__init__(cap)
        self._tables = tables
        self._values: set[int] | None = None

    def _unite(self) -> set[int]:
        """Whoever is interrupted, or loses a worker, while tables are fetched begins again."""
        if self._values is None:
            tables = [table for table in self._tables if table.used]
            self._has_zero = any(table.zero for table in self._tables)
            self._level = max((table.level for table in tables), default=0)
            values: set[int] = set()
            for table in tables:
                values.update(self._kept(array("Q", table.table())))
                values.discard(0)
                while len(values) > 3 * self._cap:
                    self._level += 1
                    values = set(self._kept(values))
            self._used, self._values = len(values), values
        return self._values

    def _kept(self, values: Collection[int]) -> Collection[int]:
        mask = (1 << self._level) - 1
        return [value for value in values if not value & mask] if mask else values

    @property
    def count(self) -> int:
        self._unite()
        return super().count

    @property
    def estimated(self) -> bool:
        self._unite()
        return super().estimated

    @property
    def error(self) -> float:
        self._unite()
        return super().error

    def save(self) -> dict[str, Any]:
        values = array("Q", self._unite())
        return super().save() | {"bits": _PACKED, "slots": values.tobytes()}


class ToldDistinct(Distinct):
    """A table that somebody else fills (csrc/beside/distinct.c, slot by slot the same): its numbers, and the table when it is asked for."""

    def __init__(self, told: Hashes) -> None:
        super().__init__(0)
        self._level, self._used, self._has_zero, self._bits = told.level, told.used, told.zero, told.bits
        self._table = told.table

    def save(self) -> dict[str, Any]:
        return super().save() | {"slots": self._table()}
