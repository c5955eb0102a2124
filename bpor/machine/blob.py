"""A module's blob: the file that the runtime maps (csrc/machine/blob.h is its description), and what of the module is not seen by it."""

from __future__ import annotations

import struct
from dataclasses import dataclass

from bpor.machine.groups import Group
from bpor.machine.trampolines import Trampolines

MAGIC = b"BPORMC02"
PAGE = 4096
_HEADER = struct.Struct("<8sQQQ8I")
_PATCH = struct.Struct("<QIBBHI4x")
_NEAR, _SHORT, _ISLAND = 0, 1, 2  # a jump here; a short one; the jump that a short one leads to


@dataclass(frozen=True, slots=True)
class Summary:
    """Of a module, whether or not it is patched."""

    sites: int = 0  # that are told
    atomics: int = 0  # of them locked instructions, fences, pauses and system calls
    unpatched: int = 0  # accesses that are not
    unpatched_atomics: int = 0
    functions: tuple[str, ...] = ()  # that have such, by address
    without_table: int = 0  # bytes of code that no function covers
    waits: bool = False  # it has locked instructions, pauses or system calls of its own
    identity: str = ""  # of the sites that are told: two blobs with the same tell the same
    problem: str = ""  # why it cannot be patched at all


def make_blob(trampolines: Trampolines, patched: list[tuple[Group, int]], text: tuple[int, int], read: object) -> bytes:
    """`patched`: groups, and where their trampolines begin. `read(address, count)`: what the file has there."""
    code, sites = trampolines.finish()
    patches = sorted(record for group, entry in patched for record in _patches(group, entry, read))
    relocations = b"".join(struct.pack("<I", PAGE + where) for where in sorted(trampolines.relocations))
    constants = trampolines.constants
    parts = (len(code), len(trampolines.sites), len(trampolines.relocations), len(patches))
    at_sites = PAGE + len(code)
    at_relocations = at_sites + len(sites)
    at_patches = at_relocations + len(relocations) + -len(relocations) % 8
    header = _HEADER.pack(
        MAGIC,
        trampolines.base - PAGE,
        *text,
        *parts,
        at_relocations,
        at_patches,
        PAGE + constants[0] if constants else 0,
        len(constants),
    )
    body = code + sites + relocations + bytes(-len(relocations) % 8) + b"".join(_PATCH.pack(*patch) for patch in patches)
    return header + bytes(PAGE - len(header)) + body


def _patches(group: Group, entry: int, read: object) -> list[tuple[int, int, int, int, int, int]]:
    """Address, where its jump leads (in the file; of a short one: in the module), how, bytes, nothing, the first bytes that are there."""
    assert callable(read)

    def before(address: int, count: int) -> int:
        return int.from_bytes(bytes(read(address, min(count, 4))).ljust(4, b"\0"), "little")

    start, target = group.start, PAGE + entry
    if not group.island:
        return [(start, target, _NEAR, group.length, 0, before(start, group.length))]
    return [
        (start, group.island, _SHORT, group.length, 0, before(start, group.length)),
        (group.island, target, _ISLAND, 5, 0, before(group.island, 4)),
    ]
