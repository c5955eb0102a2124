"""Marks that our assembler leaves in instrumented code (csrc/assembler/marks.h): what lies between two of them accesses memory and has no
callback, because inline assembler and some instructions of vectors have none. Machine code tells of it instead (bpor/machine)."""

from __future__ import annotations

from bpor.target.image import PF_X, PT_LOAD, Image

_NUMBERED_NOP = b"\x0f\x1f\x84\x00"
BEGIN, END = _NUMBERED_NOP + b"\x5aPOb", _NUMBERED_NOP + b"\xa5POb"
OUTSIDE = 2  # the kind of a note: there is assembler outside of functions
OUTSIDE_WORDS = "assembler outside of functions"


def has_marks(image: Image) -> bool:
    return any(image.data.find(BEGIN, start, end) >= 0 for start, end, _ in _code(image))


def marked(image: Image) -> list[tuple[int, int]]:
    """Addresses of what lies between marks, sorted; of a mark without an end to the end of the code."""
    found: list[tuple[int, int]] = []
    for start, end, address in _code(image):
        at = image.data.find(BEGIN, start, end)
        while at >= 0:
            stop = image.data.find(END, at, end)
            stop = stop if stop >= 0 else end
            found.append((address + at + len(BEGIN) - start, address + stop - start))
            at = image.data.find(BEGIN, stop, end)
    return sorted(found)


def _code(image: Image) -> list[tuple[int, int, int]]:
    """Where it begins and ends in the file, and its address."""
    parts = (part for part in image.segments if part.kind == PT_LOAD and part.flags & PF_X)
    return [(part.offset, part.offset + part.bytes, part.address) for part in parts]
