"""The line table of one compile unit (DWARF 2 to 5): address -> file and line."""

from __future__ import annotations

import os
from bisect import bisect_right
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from elftools.dwarf.compileunit import CompileUnit


class Row(NamedTuple):
    address: int
    file: int
    line: int  # 0: compiler-made code without a line
    ends: bool  # first address after a sequence


class LineTable:
    def __init__(self, unit: CompileUnit) -> None:
        self._unit = unit
        self._program = unit.dwarfinfo.line_program_for_CU(unit)
        rows: list[Row] = []
        for entry in self._program.get_entries() if self._program is not None else ():
            state = entry.state
            if state is not None:
                rows.append(Row(state.address, state.file, state.line, state.end_sequence))
        # At one address the end of a sequence comes before the start of the next.
        rows.sort(key=lambda row: (row.address, not row.ends))
        self._rows = rows
        self._addresses = [row.address for row in rows]

    def at(self, address: int) -> tuple[str, int] | None:
        """(file, line) of the instruction at an address. Line 0 looks back to the last real line of the same sequence."""
        index = bisect_right(self._addresses, address) - 1
        while index >= 0 and not self._rows[index].ends:
            row = self._rows[index]
            if row.line:
                return self.file(row.file), row.line
            index -= 1
        return None

    def file(self, number: int) -> str:
        """The path of a file number: counted from 0 in DWARF 5, from 1 before; relative ones lie below the compilation directory."""
        if self._program is None:
            return ""
        header = self._program.header
        since_5 = header["version"] >= 5
        entries = header["file_entry"]
        index = number if since_5 else number - 1
        if not 0 <= index < len(entries):
            return ""
        directory = self._directory(entries[index]["dir_index"], header["include_directory"], since_5)
        return os.path.normpath(os.path.join(_compilation_directory(self._unit), directory, _text(entries[index]["name"])))

    @staticmethod
    def _directory(number: int, directories: Any, since_5: bool) -> str:
        index = number if since_5 else number - 1
        return _text(directories[index]) if 0 <= index < len(directories) else ""


def _compilation_directory(unit: CompileUnit) -> str:
    attribute = unit.get_top_DIE().attributes.get("DW_AT_comp_dir")
    return _text(attribute.value) if attribute is not None else ""


def _text(value: Any) -> str:
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)
