"""The call instructions of an x86-64 program: what the one before a return address calls, and copies of the file without some of them.

Invariant: a call is named only by what the file proves: a direct call to a PLT stub, or an indirect one through a GOT slot, whose
relocation carries the name. A tail call leaves another function's return address behind; it is told by the name, and left alone.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable
from pathlib import Path

from elftools.elf.elffile import ELFFile
from elftools.elf.relocation import RelocationSection

from bpor.lazy_dataclass import dataclass

_NOTHING = b"\x31\xc0"  # xor eax, eax: the call returned 0
_NOPS = {0: b"", 3: b"\x0f\x1f\x00", 4: b"\x0f\x1f\x40\x00"}  # after it, by how many bytes are left of the call


@dataclass(frozen=True, slots=True)
class Call:
    address: int  # the file's own
    length: int
    name: str  # of the function called


class Calls:
    def __init__(self, path: str) -> None:
        """Raises OSError or ELFError."""
        self._data = Path(path).read_bytes()
        with open(path, "rb") as stream:
            elf = ELFFile(stream)
            self._segments = [(s["p_vaddr"], s["p_vaddr"] + s["p_filesz"], s["p_offset"]) for s in elf.iter_segments("PT_LOAD")]
            self._slots = dict(_slots(elf))

    def before(self, return_address: int) -> Call | None:
        """The call that returns there, if it can be proved which function it calls."""
        code = self._read(return_address - 6, 6)
        if len(code) == 6 and code[:2] == b"\xff\x15":  # call *slot(%rip)
            name = self._slots.get(return_address + _signed(code[2:]))
            return Call(return_address - 6, 6, name) if name else None
        if len(code) == 6 and code[1] == 0xE8:  # call stub
            name = self._stub(return_address + _signed(code[2:]))
            return Call(return_address - 5, 5, name) if name else None
        return None

    def _stub(self, address: int) -> str | None:
        """endbr64 and the bnd prefix, where they are, then jmp *slot(%rip)."""
        code = self._read(address, 16)
        for skipped in (b"\xf3\x0f\x1e\xfa\xf2", b"\xf3\x0f\x1e\xfa", b"\xf2", b""):
            start = len(skipped)
            if code.startswith(skipped) and code[start : start + 2] == b"\xff\x25":
                return self._slots.get(address + start + 6 + _signed(code[start + 2 : start + 6]))
        return None

    def without(self, calls: Iterable[Call]) -> bytes:
        """The file with these calls returning 0 and doing nothing."""
        data = bytearray(self._data)
        for call in calls:
            offset = self._offset(call.address)
            assert offset is not None
            data[offset : offset + call.length] = _NOTHING + _NOPS[call.length - len(_NOTHING)]
        return bytes(data)

    def _read(self, address: int, length: int) -> bytes:
        offset = self._offset(address)
        return b"" if offset is None else self._data[offset : offset + length]

    def _offset(self, address: int) -> int | None:
        return next((address - low + offset for low, high, offset in self._segments if low <= address < high), None)


def _signed(four: bytes) -> int:
    return int(struct.unpack("<i", four)[0])


def _slots(elf: ELFFile) -> Iterable[tuple[int, str]]:
    """GOT slot -> the function whose address the loader puts there."""
    for section in elf.iter_sections():
        if isinstance(section, RelocationSection):
            symbols = elf.get_section(section["sh_link"])
            if symbols is None or not hasattr(symbols, "get_symbol"):
                continue
            for relocation in section.iter_relocations():
                if number := relocation["r_info_sym"]:
                    yield relocation["r_offset"], symbols.get_symbol(number).name
