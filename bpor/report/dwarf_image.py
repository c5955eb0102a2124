"""One ELF file on disk: its load segments, its symbol table, its debug information, each read when first asked for.

Invariant: addresses in here are the file's own virtual addresses. Whoever has an address of a process subtracts the load
address first (see symbols.py).
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from functools import cached_property
from io import BytesIO
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

from bpor.lazy_dataclass import dataclass
from bpor.report.dwarf_limit import Limit
from bpor.report.dwarf_ranges import Range, ranges_of
from bpor.target.image import PT_LOAD, STT_FUNC, STT_GNU_IFUNC, STT_OBJECT, read_image

if TYPE_CHECKING:
    from elftools.dwarf.aranges import ARanges
    from elftools.dwarf.compileunit import CompileUnit
    from elftools.dwarf.dwarfinfo import DWARFInfo

_TEXT = re.compile(rb"[\x20-\x7e\x80-\xff]+\Z")
_SHORT = 3  # letters: what compilers put among other data instead of among the strings


@dataclass(frozen=True, slots=True)
class SymbolRow:
    """A row of the symbol table."""

    name: str
    address: int
    size: int
    is_function: bool


class DwarfImage:
    def __init__(self, path: str) -> None:
        """Raises OSError, or ValueError for what is no ELF file."""
        self.path = path
        self._data = Path(path).read_bytes()
        file = read_image(self._data)
        if file is None:
            raise ValueError(f"{path}: not an ELF file")
        self._file = file
        self.limit = Limit(len(self._data))
        self.is_fixed = file.kind == "executable"  # not position independent: linked to run at one address
        self._segments = tuple((s.address, s.address + s.memory) for s in file.segments if s.kind == PT_LOAD)

    def contains(self, address: int) -> bool:
        return any(low <= address < high for low, high in self._segments)

    # ---- symbol table ----

    @cached_property
    def _symbols(self) -> tuple[list[int], list[SymbolRow]]:
        """Sorted by address; of several at one address the largest, then the one without leading underscores, comes last."""
        kinds = (STT_OBJECT, STT_FUNC, STT_GNU_IFUNC)
        found = {
            SymbolRow(row.name.decode("utf-8", "replace"), row.address, row.bytes, row.kind != STT_OBJECT)
            for row in chain(self._file.symbols(), self._file.dynamic_symbols())
            if row.name and row.section and row.kind in kinds
        }
        symbols = sorted(found, key=lambda s: (s.address, s.size, -_underscores(s.name), s.name))
        return [s.address for s in symbols], symbols

    def symbol_at(self, address: int) -> SymbolRow | None:
        """The symbol that covers an address. One without a size (assembly) reaches to the next one."""
        addresses, symbols = self._symbols
        index = bisect_right(addresses, address) - 1
        if index < 0 or not self.contains(address):
            return None
        symbol = symbols[index]
        return symbol if symbol.size == 0 or address < symbol.address + symbol.size else None

    def symbols(self) -> list[SymbolRow]:
        """All functions and objects that it defines."""
        return self._symbols[1]

    def imported(self) -> frozenset[str]:
        """Names that it wants from elsewhere."""
        return frozenset(row.name.decode("utf-8", "replace") for row in self._file.dynamic_symbols() if row.section == 0)

    def strings(self, section: str) -> Iterator[str]:
        """What stands between zeros in a section, from the last byte on that is no text; where a section holds more than strings the
        byte before a short one may be a letter by chance, so its ends are told, too."""
        found = self._file.section(section)
        for piece in self._file.content(found).split(b"\0") if found is not None else ():
            match = _TEXT.search(piece)
            if match is not None:
                text = match[0].decode("utf-8", "replace")
                yield text
                yield from (text[-length:] for length in range(1, min(len(text), _SHORT + 1)))

    def function_named(self, name: str) -> int | None:
        """Its address; None: the symbol table has no function of that name."""
        return next((symbol.address for symbol in self._symbols[1] if symbol.is_function and symbol.name == name), None)

    # ---- debug information ----

    @cached_property
    def dwarf(self) -> DWARFInfo | None:
        """The file's own only: system libraries have theirs elsewhere, thousands of units that a report about the user's code
        does not want."""
        from elftools.elf.elffile import ELFFile  # a tenth of the start of the tool, and needed by a finding only

        try:
            elf = ELFFile(BytesIO(self._data))
            return elf.get_dwarf_info(relocate_dwarf_sections=False) if elf.has_dwarf_info(strict=True) else None
        except Exception:  # a compression or a form the library does not know: once, not at every look-up
            return None

    def units(self) -> Iterator[CompileUnit]:
        if self.dwarf is not None:
            yield from self.dwarf.iter_CUs()

    @cached_property
    def _listed(self) -> ARanges | None:
        """Which unit covers which addresses, as the compiler listed it: nothing of the units has to be read. clang does not list them."""
        listed = self.dwarf.get_aranges() if self.dwarf is not None else None
        return listed if listed is not None and listed.entries else None

    @cached_property
    def _unit_index(self) -> tuple[list[int], list[tuple[Range, CompileUnit]]]:
        """The same from the units' own first entries: complete, but the abbreviations of every unit are read for it."""
        entries = [(r, unit) for unit in self.units() for r in ranges_of(unit.get_top_DIE())]
        entries.sort(key=lambda entry: entry[0].low)
        return [r.low for r, _ in entries], entries

    def unit_at(self, address: int) -> CompileUnit | None:
        if self.dwarf is not None and self._listed is not None and (offset := self._listed.cu_offset_at_addr(address)) is not None:
            return self.dwarf.get_CU_at(offset)
        lows, entries = self._unit_index
        index = bisect_right(lows, address) - 1
        if index < 0 or address >= entries[index][0].high:
            return None
        return entries[index][1]


def _underscores(name: str) -> int:
    return len(name) - len(name.lstrip("_"))
