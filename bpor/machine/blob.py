"""A module's blob: the file that the runtime maps (csrc/machine/blob.h is its description), and what of the module is not seen by it."""

from __future__ import annotations

import struct
from array import array
from collections.abc import Callable, Iterable

from bpor.machine.groups import Group
from bpor.machine.trampolines import Trampolines

MAGIC = b"BPORMC05"
PAGE = 4096
_HEADER = struct.Struct("<8sQQQ16I")
_PATCH = struct.Struct("<QIBBHI4x")
_NEAR, _SHORT, _ISLAND, _TRAP = range(4)  # a jump here; a short one; the jump that a short one leads to; a breakpoint instruction


def make_blob(
    trampolines: Trampolines, patched: list[tuple[Group, int]], text: tuple[int, int], read: Callable[[int, int], bytes], sets_gs: bool
) -> bytes:
    """`patched`: groups, and where their trampolines begin. `read(address, count)`: what the file has there. `sets_gs`: marks, which are
    found by it, are of no use."""
    code, sites = trampolines.finish()
    patches = sorted(record for group, entry in patched for record in _patches(group, entry, read))
    relocations = _places(sorted(trampolines.relocations))
    constants = trampolines.constants
    parts = (len(code), len(trampolines.sites), len(trampolines.relocations), len(patches))
    tables = [
        sites,
        relocations,
        b"".join(_PATCH.pack(*patch) for patch in patches),
        _places(place for pair in sorted(trampolines.gates) for place in pair),
        _places(place for pair in sorted(trampolines.looks) for place in pair),
        _places(sorted(trampolines.counts)),
    ]
    places = [PAGE + len(code)]
    for table in tables:
        places.append((places[-1] + len(table) + 7) // 8 * 8)
    header = _HEADER.pack(
        MAGIC,
        trampolines.base - PAGE,
        *text,
        *parts,
        places[1],
        places[2],
        PAGE + constants[0] if constants else 0,
        len(constants),
        places[3],
        len(trampolines.gates),
        places[4],
        len(trampolines.looks),
        places[5],
        len(trampolines.counts),
        sets_gs,
        0,
    )
    return header + bytes(PAGE - len(header)) + code + b"".join(table + bytes(-len(table) % 8) for table in tables)


def _places(of_code: Iterable[int]) -> bytes:
    """As the file counts them, 32 bits each."""
    return array("I", [PAGE + place for place in of_code]).tobytes()


def _patches(group: Group, entry: int, read: Callable[[int, int], bytes]) -> list[tuple[int, int, int, int, int, int]]:
    """Address, where its jump leads (in the file; of a short one: in the module), how, bytes, nothing, the first bytes that are there."""
    start, length = group.start, group.length
    target, before = PAGE + entry, int.from_bytes(read(start, min(length, 4)), "little")
    if not group.island:
        return [(start, target, _TRAP if group.traps else _NEAR, length, 0, before)]
    there = int.from_bytes(read(group.island, 4), "little")
    return [(start, group.island, _SHORT, length, 0, before), (group.island, target, _ISLAND, 5, 0, there)]
