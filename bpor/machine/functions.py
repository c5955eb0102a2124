"""Functions of a module: from .eh_frame_hdr, which stripping leaves, and the entries it points at (LSB Core, "Exception Frames").

Invariant: only what an entry covers is ever called code. Entries of signal frames ('S') are left out: the C library's begins one byte
before its function.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import NamedTuple

from bpor.target.image import PT_GNU_EH_FRAME, Image

_USUAL_TABLE = (1, 0x1B, 0x03, 0x3B)  # version, and pairs of 32-bit distances
_OMIT, _RELATIVE, _INDIRECT = 0xFF, 0x10, 0x80
_FORMATS = {0x00: "<Q", 0x03: "<I", 0x04: "<Q", 0x0B: "<i", 0x0C: "<q"}
_ADVANCE, _ADVANCES = 1, (2, 3, 4)  # DWARF 4, 7.23: the next rules are of a later instruction
_LONGEST = 1 << 24  # bytes of a function that may be believed
_MOST_CALL_SITES = 1 << 16


class Function(NamedTuple):
    start: int
    end: int
    pads: frozenset[int] | None  # where exceptions land; None: its table cannot be read
    inside: bool = False  # it begins with the frame of another, which is a part of it
    reached: bool = False  # no table has it: a piece that others lead to, which may be several functions (reached.py)


class _Common(NamedTuple):
    """What of a CIE matters here."""

    augmented: bool
    pointers: int  # how addresses are encoded
    table: int  # how that of the exception table is
    signal: bool


class Unreadable(ValueError):
    """A table that is not as the standard has it."""


def functions_of(image: Image) -> list[Function]:
    """Sorted, without overlap; empty where there is no table for the unwinder."""
    found: dict[int, Function] = {}
    commons: dict[int, _Common] = {}
    for entry in _entries(image):
        try:
            function = _function(image, entry, commons)
        except (ValueError, struct.error, IndexError):
            continue
        if function is not None:
            found[function.start] = function
    return list(_apart(sorted(found.values())))


def _apart(functions: list[Function]) -> Iterator[Function]:
    last = 0
    for function in functions:
        if function.start >= last and function.end > function.start:
            last = function.end
            yield function


def _entries(image: Image) -> Iterator[int]:
    for segment in image.segments:
        if segment.kind != PT_GNU_EH_FRAME:
            continue
        table = image.content(segment)
        if len(table) < 12 or tuple(table[:4]) != _USUAL_TABLE:
            continue
        count = min(struct.unpack_from("<I", table, 8)[0], (len(table) - 12) // 8)
        for _, entry in struct.iter_unpack("<ii", table[12 : 12 + 8 * count]):
            yield segment.address + entry


def _function(image: Image, entry: int, commons: dict[int, _Common]) -> Function | None:
    head = image.at(entry, 64)
    (length, back) = struct.unpack_from("<II", head)
    if length in (0, 0xFFFFFFFF) or back == 0:
        raise Unreadable
    where = entry + 4 - back
    if where not in commons:
        commons[where] = _common(image, where)
    common = commons[where]
    if common.signal:
        return None
    start, at = _pointer(head, 8, common.pointers, entry)
    size, at = _pointer(head, at, common.pointers & 0x0F, 0)
    if not 0 < size < _LONGEST or len(image.at(start, 1)) == 0:
        raise Unreadable
    table = 0
    if common.augmented:
        length, behind = _uleb(head, at)
        at = behind + length
        if common.table != _OMIT:
            table, _ = _pointer(head, behind, common.table, entry)
    return Function(start, start + size, _pads(image, table, start) if table else frozenset(), _begins_inside(head[at:]))


def _begins_inside(rules: bytes) -> bool:
    """Something is said of the frame before the first instruction. A rule of zeros is none."""
    first = rules[0] if rules else 0
    return first != 0 and first >> 6 != _ADVANCE and first not in _ADVANCES


def _common(image: Image, where: int) -> _Common:
    head = image.at(where, 256)
    (length, zero) = struct.unpack_from("<II", head)
    if zero != 0 or length == 0:
        raise Unreadable
    version = head[8]
    text, at = _string(head, 9)
    if version not in (1, 3) or (not text.startswith(b"z") and text):
        raise Unreadable
    _, at = _uleb(head, at)
    _, at = _uleb(head, at)  # signed, of the same length
    if version == 1:
        at += 1
    else:
        _, at = _uleb(head, at)
    pointers, table, signal = 0, _OMIT, False
    if text:
        _, at = _uleb(head, at)
    for letter in text[1:]:
        if letter == ord("R"):
            pointers, at = head[at], at + 1
        elif letter == ord("L"):
            table, at = head[at], at + 1
        elif letter == ord("P"):
            _, at = _pointer(head, at + 1, head[at] & ~_INDIRECT, where)
        elif letter == ord("S"):
            signal = True
        else:
            raise Unreadable
    return _Common(bool(text), pointers, table, signal)


def _pads(image: Image, table: int, start: int) -> frozenset[int] | None:
    """Landing pads in the table of call sites that gcc and clang write (Itanium C++ ABI, exception handling tables)."""
    head = image.at(table, 64)
    try:
        base, at = start, 1
        if head[0] != _OMIT:  # they lie in a part of their own
            base, at = _pointer(head, 1, head[0], table)
        kind, at = head[at], at + 1
        if kind != _OMIT:
            _, at = _uleb(head, at)
        encoding = head[at]
        size, at = _uleb(head, at + 1)
        sites = image.at(table + at, size)
        if len(sites) < size:
            return None
        return frozenset(base + pad for pad in _call_sites(sites, encoding) if pad)
    except (ValueError, struct.error, IndexError):
        return None


def _call_sites(sites: bytes, encoding: int) -> Iterator[int]:
    at = 0
    for _ in range(_MOST_CALL_SITES):
        if at >= len(sites):
            return
        if encoding == 1:
            _, at = _uleb(sites, at)
            _, at = _uleb(sites, at)
            pad, at = _uleb(sites, at)
        else:
            _, at = _pointer(sites, at, encoding & 0x0F, 0)
            _, at = _pointer(sites, at, encoding & 0x0F, 0)
            pad, at = _pointer(sites, at, encoding & 0x0F, 0)
        _, at = _uleb(sites, at)
        yield pad
    raise Unreadable


def _pointer(data: bytes, at: int, encoding: int, base: int) -> tuple[int, int]:
    """A value of `data`, which lies at `base`, and where the next one begins."""
    form = _FORMATS.get(encoding & 0x0F)
    if form is None or encoding & _INDIRECT or encoding & 0x70 not in (0, _RELATIVE):
        raise Unreadable
    value = int(struct.unpack_from(form, data, at)[0])
    size = struct.calcsize(form)
    if value and encoding & _RELATIVE:
        value += base + at
    return value, at + size


def _uleb(data: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while shift < 64:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        shift += 7
        if not byte & 128:
            return value, at
    raise Unreadable


def _string(data: bytes, at: int) -> tuple[bytes, int]:
    end = data.index(b"\0", at)
    return data[at:end], end + 1
