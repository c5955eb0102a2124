"""The instructions of a module by which it acts on other threads, or on itself, without a call that could be interposed.

Decoded by csrc/decode from where functions begin, as the unwinder's table tells it, which stripping leaves. Not findable: an atomic load
or store of a word, which is a plain move. Invariant: what may be code is looked at; only what no function begins in may be called data.
"""

from __future__ import annotations

import ctypes
import struct
from bisect import bisect_right
from collections.abc import Iterable
from functools import cache

from bpor.lazy_dataclass import dataclass
from bpor.native_parts import NATIVE
from bpor.target.image import (
    PF_X,
    PT_DYNAMIC,
    PT_GNU_EH_FRAME,
    PT_INTERP,
    PT_LOAD,
    PT_NOTE,
    PT_PHDR,
    SHF_ALLOC,
    SHF_EXECINSTR,
    STT_FUNC,
    STT_GNU_IFUNC,
    Image,
    Segment,
    Symbol,
)

KINDS = ("atomic", "syscall", "clock", "random")  # csrc/decode/scan.c, from 1
_HEADER = 64  # bytes of an ELF file
_DESCRIPTIONS = (PT_PHDR, PT_INTERP, PT_NOTE, PT_DYNAMIC, PT_GNU_EH_FRAME)
_USUAL_TABLE = (1, 0x1B, 0x03, 0x3B)  # of .eh_frame_hdr: version, and pairs of 32-bit distances


@dataclass(frozen=True, slots=True)
class Instructions:
    counts: dict[str, int]  # by kind
    functions: dict[str, int]  # those with atomic instructions, and how many: by name, or by address where it has none

    @property
    def atomics(self) -> int:
        return self.counts["atomic"]


class _Found(ctypes.Structure):
    _fields_ = (("offset", ctypes.c_uint64), ("kind", ctypes.c_uint32), ("unused", ctypes.c_uint32))


def look_at_instructions(
    image: Image, known: tuple[int, int] = (0, 0), told: frozenset[int] = frozenset(), constants: tuple[tuple[int, int], ...] = ()
) -> Instructions:
    """All but those of the range `known`, and of atomic ones those that are told. `constants`: among the code."""
    starts = _function_starts(image)
    code = (segment for segment in image.segments if segment.kind == PT_LOAD and segment.flags & PF_X)
    found = [pair for segment in code for pair in _scan(image, segment, starts)]
    data = [known, *constants, *_data_in_code(image, starts)]
    own = [(address, kind) for address, kind in found if address not in told and not any(start <= address < end for start, end in data)]
    counts = {name: sum(kind == number for _, kind in own) for number, name in enumerate(KINDS, 1)}
    return Instructions(counts, _by_function(image, [address for address, kind in own if kind == 1], starts))


@cache
def _decoder() -> ctypes.CDLL:
    library = ctypes.CDLL(str(NATIVE / "libbpor-decode.so"))
    library.bpor_scan.restype = ctypes.c_size_t
    library.bpor_scan.argtypes = (ctypes.c_char_p, ctypes.c_size_t, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_void_p, ctypes.c_size_t)
    return library


def _scan(image: Image, segment: Segment, starts: list[int]) -> list[tuple[int, int]]:
    """Addresses and kinds."""
    code = image.content(segment)
    inside = [0, *(start - segment.address for start in starts if segment.address < start < segment.address + segment.bytes)]
    begins = (ctypes.c_uint64 * len(inside))(*inside)
    room = 1024
    while True:
        told = (_Found * room)()
        count = _decoder().bpor_scan(code, len(code), begins, len(inside), told, room)
        if count <= room:
            return [(segment.address + told[i].offset, told[i].kind) for i in range(count)]
        room = count


def _function_starts(image: Image) -> list[int]:
    """Sorted; empty where there is no table for the unwinder."""
    found = {image.entry} if image.entry else set()
    for segment in image.segments:
        if segment.kind != PT_GNU_EH_FRAME:
            continue
        table = image.content(segment)
        if len(table) < 12 or tuple(table[:4]) != _USUAL_TABLE:
            continue
        count = min(struct.unpack_from("<I", table, 8)[0], (len(table) - 12) // 8)
        found |= {segment.address + start for start, _ in struct.iter_unpack("<ii", table[12 : 12 + 8 * count])}
    return sorted(found)


def _data_in_code(image: Image, starts: list[int]) -> list[tuple[int, int]]:
    """Constants that a linker put beside the code (gold, and older ones): sections that say so, the file's own headers and what else
    describes it, with no function in them."""
    silent = (part for part in image.sections if part.bytes and part.flags & SHF_ALLOC and not part.flags & SHF_EXECINSTR)
    described = (part for part in image.segments if part.bytes and part.kind in _DESCRIPTIONS)
    ranges = [(part.address, part.address + _HEADER) for part in image.segments if part.kind == PT_LOAD and part.offset == 0]
    ranges += [(part.address, part.address + part.bytes) for part in silent]
    ranges += [(part.address, part.address + part.bytes) for part in described]
    return [(low, high) for low, high in ranges if bisect_right(starts, high - 1) == bisect_right(starts, low - 1)]


def _by_function(image: Image, addresses: list[int], starts: list[int]) -> dict[str, int]:
    if not addresses:
        return {}
    named = _named(list(image.symbols()) or list(image.dynamic_symbols()))
    lowest = [symbol.address for symbol in named]
    counts: dict[str, int] = {}
    for address in addresses:
        at = bisect_right(lowest, address) - 1
        if at >= 0 and address < max(named[at].address + named[at].bytes, named[at].address + 1):
            name = named[at].name.decode("utf-8", "replace")
        else:
            begins = bisect_right(starts, address) - 1
            name = f"{starts[begins] if begins >= 0 else address:#x}"
        counts[name] = counts.get(name, 0) + 1
    return counts


def _named(symbols: Iterable[Symbol]) -> list[Symbol]:
    functions = (symbol for symbol in symbols if symbol.kind in (STT_FUNC, STT_GNU_IFUNC) and symbol.section and symbol.name)
    return sorted(functions, key=lambda symbol: (symbol.address, symbol.bytes))
