"""One hash for names, events and schedules, the same in C and in Python: bpor_mix of csrc/protocol/operations.h."""

from __future__ import annotations

MASK = (1 << 64) - 1


def mixed(*parts: int) -> int:
    """Of numbers of any size and sign, modulo 2^64, in this order."""
    result = 0
    for part in parts:
        result ^= part + 0x9E3779B97F4A7C15 + (result << 6) + (result >> 2) & MASK
        result = result * 0xFF51AFD7ED558CCD & MASK
        result ^= result >> 32
    return result
