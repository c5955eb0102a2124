"""Draws: the random numbers of one execution that is drawn: splitmix64, the same in C (csrc/runtime/sample.c)."""

from __future__ import annotations

from bpor.model.mixing import MASK, scattered, seed_of

_STRIDE = 0x9E3779B97F4A7C15


class Draws:
    def __init__(self, seed: int, number: int) -> None:
        """Of the execution with this number."""
        self._state = seed_of(seed, number)

    def below(self, limit: int) -> int:
        return self._next() % limit

    def priority(self) -> int:
        """Never negative."""
        return self._next() >> 1

    def _next(self) -> int:
        self._state = self._state + _STRIDE & MASK
        return scattered(self._state)
