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


def mixed_on(result: int, part: int) -> int:
    """`mixed` of numbers whose result is known and one more: bpor_mix."""
    result ^= part + 0x9E3779B97F4A7C15 + (result << 6) + (result >> 2) & MASK
    result = result * 0xFF51AFD7ED558CCD & MASK
    return result ^ result >> 32


def scattered(number: int) -> int:
    """Every bit of the number decides about every bit of the result: bpor_scatter."""
    number = (number ^ number >> 30) * 0xBF58476D1CE4E5B9 & MASK
    number = (number ^ number >> 27) * 0x94D049BB133111EB & MASK
    return number ^ number >> 31


def seed_of(seed: int, number: int) -> int:
    """Of the draws of one execution, by the seed of the search and its number."""
    return scattered(scattered(seed & MASK) ^ number)
