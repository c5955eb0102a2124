"""Clock: how many steps of every thread happened before something, itself included: one integer, 32 bits for each thread.

A join is then a few operations on integers, however many threads there are. The uppermost bit of each field is free: `guards` has just
these bits, and keeps the fields apart when one clock is subtracted from another.
"""

from __future__ import annotations

Clock = int

NEVER: Clock = 0
_BITS = 5  # 2^5 in a field
_COUNT = (1 << 31) - 1
_WIDTH = 1 << _BITS


def guards_with(thread: int, guards: int = 0) -> int:
    """For clocks that count this thread too, and all with smaller numbers."""
    while guards.bit_length() <= thread << _BITS:
        guards = guards << _WIDTH | 1 << (_WIDTH - 1)
    return guards


def join(a: Clock, b: Clock, guards: int) -> Clock:
    """The larger count of each thread."""
    not_less = ((a | guards) - b) & guards  # one bit in every field in which a >= b
    return b ^ ((a ^ b) & (not_less - (not_less >> (_WIDTH - 1))))


def count(clock: Clock, thread: int) -> int:
    return clock >> (thread << _BITS) & _COUNT


def step_of(thread: int) -> Clock:
    """What one more step of a thread adds to its clock."""
    return 1 << (thread << _BITS)


def total(clock: Clock) -> int:
    """Steps of all threads."""
    steps = 0
    while clock:
        steps += clock & _COUNT
        clock >>= _WIDTH
    return steps
