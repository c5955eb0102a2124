"""What a scan of a module says. Apart from the code that scans, because a run that finds it in the cache needs no disassembler."""

from __future__ import annotations

from bpor.lazy_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Summary:
    """Of a module, whether or not it is patched."""

    sites: int = 0  # that are told
    atomics: int = 0  # of them locked instructions, fences, pauses and system calls
    accesses: int = 0  # of them accesses of memory, and what orders such
    unpatched: int = 0  # accesses that are not
    unpatched_atomics: int = 0
    traps: int = 0  # of those that are told, by a breakpoint instruction
    functions: tuple[str, ...] = ()  # that have such, by address
    without_table: int = 0  # bytes of code that accesses memory and that no function covers
    constants: tuple[tuple[int, int], ...] = ()  # what no function covers and is certain to be no code
    waits: bool = False  # it has locked instructions, pauses or system calls of its own
    identity: str = ""  # of the sites that are told: two blobs with the same tell the same
    parts: tuple[tuple[int, int], ...] = ()  # of a module of which a part is patched: these addresses
    unseen: tuple[str, ...] = ()  # of a library of which a part is patched: its functions that call what is out of sight
    problem: str = ""  # why it cannot be patched at all


@dataclass(frozen=True, slots=True)
class Scan:
    summary: Summary
    blob: bytes = b""  # empty: nothing to patch
    atomics: frozenset[int] = frozenset()  # addresses of the locked instructions that it tells
