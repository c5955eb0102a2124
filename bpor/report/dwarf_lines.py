"""The line table of one compile unit (DWARF 2 to 5): address -> file and line."""

from __future__ import annotations

import os
from bisect import bisect_right
from typing import TYPE_CHECKING, Any, NamedTuple

from bpor.report.dwarf_scan import uleb

if TYPE_CHECKING:
    from elftools.dwarf.compileunit import CompileUnit
    from elftools.dwarf.lineprogram import LineProgram


_EXTENDED, _COPY, _ADVANCE_PC, _ADVANCE_LINE, _SET_FILE, _CONST_ADD_PC, _FIXED_ADVANCE_PC = 0, 1, 2, 3, 4, 8, 9
_END_SEQUENCE, _SET_ADDRESS = 1, 2


class LineRow(NamedTuple):
    address: int
    file: int
    line: int  # 0: compiler-made code without a line
    ends: bool  # first address after a sequence


class LineTable:
    def __init__(self, unit: CompileUnit) -> None:
        self._unit = unit
        self._program = unit.dwarfinfo.line_program_for_CU(unit)
        rows = rows_of(self._program) if self._program is not None else []
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


def rows_of(program: LineProgram) -> list[LineRow]:
    """What the program says, run here because it has a hundred thousand steps: the library makes objects of each."""
    header = program.header
    base, line_base, line_range = header["opcode_base"], header["line_base"], header["line_range"]
    unit, operands = header["minimum_instruction_length"], header["standard_opcode_lengths"]
    program.stream.seek(program.program_start_offset)
    data = program.stream.read(program.program_end_offset - program.program_start_offset)
    rows: list[LineRow] = []
    address, file, line, at = 0, 1, 1, 0
    while at < len(data):
        opcode = data[at]
        at += 1
        if opcode >= base:
            address += (opcode - base) // line_range * unit
            line += line_base + (opcode - base) % line_range
            rows.append(LineRow(address, file, line, False))
        elif opcode == _EXTENDED:
            length, at = uleb(data, at)
            if length and data[at] == _END_SEQUENCE:
                rows.append(LineRow(address, file, line, True))
                address, file, line = 0, 1, 1
            elif length and data[at] == _SET_ADDRESS:
                address = int.from_bytes(data[at + 1 : at + length], "little")
            at += length
        elif opcode == _COPY:
            rows.append(LineRow(address, file, line, False))
        elif opcode == _ADVANCE_PC:
            value, at = uleb(data, at)
            address += value * unit
        elif opcode == _ADVANCE_LINE:
            value, after = uleb(data, at)
            line += value - (1 << 7 * (after - at) if data[after - 1] & 0x40 else 0)
            at = after
        elif opcode == _SET_FILE:
            file, at = uleb(data, at)
        elif opcode == _CONST_ADD_PC:
            address += (255 - base) // line_range * unit
        elif opcode == _FIXED_ADVANCE_PC:
            address += int.from_bytes(data[at : at + 2], "little")
            at += 2
        else:
            for _ in range(operands[opcode - 1]):
                _, at = uleb(data, at)
    return rows


def _compilation_directory(unit: CompileUnit) -> str:
    attribute = unit.get_top_DIE().attributes.get("DW_AT_comp_dir")
    return _text(attribute.value) if attribute is not None else ""


def _text(value: Any) -> str:
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)
