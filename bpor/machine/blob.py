"""A module's blob: the file that the runtime maps (csrc/machine/blob.h is its description), put together by csrc/decode/assemble.c.

Code that occurs many times is passed once, as a piece: its bytes, and the fields in them that depend on the final address.
"""

from __future__ import annotations

import ctypes
import struct
from array import array
from collections.abc import Sequence
from enum import IntEnum
from functools import cache

from bpor.machine.groups import Group
from bpor.machine.sites import Site
from bpor.native_parts import NATIVE
from bpor.target.image import PF_X, PT_LOAD, Image

PAGE = 4096
_SITE = struct.Struct("<8xBBBBxxxxQ")
_FIXUP = struct.Struct("<IIq")
_LONGEST = 255  # bytes of a group


class Fix(IntEnum):
    """csrc/decode/assemble.h has the same."""

    MODULE = 0
    CODE = 1
    SITE = 2
    CONSTANT = 3
    BEHIND = 4
    FOUND = 5
    LOOK = 6
    COUNT = 7
    GATE = 8


Fixup = tuple[int, Fix, int]  # where in the piece, what, and a number


class _Assembly(ctypes.Structure):
    _fields_ = (
        ("text", ctypes.c_char_p),
        ("stretches", ctypes.c_void_p),
        ("stretch_count", ctypes.c_uint64),
        ("codes", ctypes.c_char_p),
        ("fixups", ctypes.c_char_p),
        ("pieces", ctypes.c_void_p),
        ("sites", ctypes.c_char_p),
        ("constants", ctypes.c_void_p),
        ("constant_count", ctypes.c_uint64),
        ("items", ctypes.c_void_p),
        ("groups", ctypes.c_void_p),
        ("group_count", ctypes.c_uint64),
        ("base", ctypes.c_uint64),
        ("text_low", ctypes.c_uint64),
        ("text_high", ctypes.c_uint64),
        ("unused_bytes", ctypes.c_uint64),
        ("sets_gs", ctypes.c_uint64),
        ("vex", ctypes.c_uint64),
    )


@cache
def _library() -> ctypes.CDLL:
    library = ctypes.CDLL(str(NATIVE / "libbpor-decode.so"))
    library.bpor_assemble.restype = ctypes.c_void_p
    library.bpor_assemble.argtypes = (ctypes.POINTER(_Assembly), ctypes.POINTER(ctypes.c_size_t))
    library.bpor_forget.argtypes = (ctypes.c_void_p,)
    return library


class Blob:
    """Of one module, while it is made. Everything is as if the module lay at 0 and the code at `base`."""

    def __init__(self, base: int, unused: int = 0) -> None:
        """`unused`: bytes before the first trampoline."""
        self.base, self._unused = base, unused
        self._codes, self._fixups, self._sites = bytearray(), bytearray(), bytearray()
        self._pieces = array("I", [0] * 6)  # counted from 1
        self._site_numbers: dict[Site, int] = {}
        self._constants: dict[int, int] = {}
        self._items: list[int] = []
        self._groups: list[int] = []

    def piece(self, code: bytes, fixups: Sequence[Fixup] = (), site: Site | None = None, behind: int = 0) -> int:
        """Its number. `site`: what it tells; `behind`: of a look at marks, the piece that tells the access."""
        told = 0 if site is None else self._site(site)
        places = (len(self._codes), len(code), len(self._fixups) // _FIXUP.size, len(fixups))
        self._pieces.extend((*places, told, behind))
        self._codes += code
        for fixup in fixups:
            self._fixups += _FIXUP.pack(*fixup)
        return len(self._pieces) // 6 - 1

    def _site(self, site: Site) -> int:
        number = self._site_numbers.get(site)
        if number is None:
            number = self._site_numbers[site] = len(self._site_numbers) + 1
            self._sites += _SITE.pack(site.kind, min(site.bytes, 255), site.form, site.source, site.operand)
        return number

    def constant(self, value: int) -> int:
        """The number of 8 bytes behind the code."""
        return self._constants.setdefault(value, len(self._constants))

    def place(self, address: int, length: int, operand: int, look: int, moved: int) -> None:
        """The next instruction of a group: the piece that looks at its marks, if any; and itself, as a piece, or 0: by its own bytes."""
        self._items += (address, operand, look | moved << 32, length)

    def end_group(self, group: Group, leaves: bool) -> None:
        """Of those that were placed. `leaves`: it does not go on behind it."""
        if group.length > _LONGEST:
            raise ValueError("a group of instructions is too long")
        facts = group.last + 1 - group.first | group.length << 32 | group.traps << 40 | leaves << 48
        self._groups += (group.island, facts)

    def made(self, image: Image, text: tuple[int, int], sets_gs: bool, vex: bool) -> bytes:
        """`text`: all patches lie in it. `sets_gs`: marks, which are found by it, are of no use. `vex`: some instructions have such
        prefixes."""
        stretches, content = array("Q"), bytearray()
        for segment in image.segments:
            if segment.kind == PT_LOAD and segment.flags & PF_X:
                stretches.extend((segment.address, segment.bytes, len(content)))
                content += image.content(segment)
        arrays = [stretches, self._pieces, array("Q", self._constants), array("Q", self._items), array("Q", self._groups)]
        where = [each.buffer_info()[0] for each in arrays]
        given = _Assembly(
            bytes(content),
            where[0],
            len(stretches) // 3,
            bytes(self._codes),
            bytes(self._fixups),
            where[1],
            bytes(self._sites),
            where[2],
            len(self._constants),
            where[3],
            where[4],
            len(self._groups) // 2,
            self.base,
            *text,
            self._unused,
            sets_gs,
            vex,
        )
        size = ctypes.c_size_t()
        blob = _library().bpor_assemble(ctypes.byref(given), ctypes.byref(size))
        if not blob:
            raise ValueError("its trampolines lie out of reach")
        try:
            return ctypes.string_at(blob, size.value)
        finally:
            _library().bpor_forget(blob)
