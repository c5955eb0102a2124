"""A choice: which thread runs next, and which of the alternatives that its operation offers it takes.

Alternative 0 is what an ordinary machine does, so a choice of it *is* the number of the thread: whoever knows nothing of alternatives
reads the same schedules as before.
"""

from __future__ import annotations

_THREAD_BITS = 10
MAX_THREAD = (1 << _THREAD_BITS) - 1
MAX_ALTERNATIVE = 63  # a choice has 16 bits on the wire

Choice = int


def choice_of(thread: int, alternative: int = 0) -> Choice:
    return thread | alternative << _THREAD_BITS


def thread_of(choice: Choice) -> int:
    return choice & MAX_THREAD


def alternative_of(choice: Choice) -> int:
    return choice >> _THREAD_BITS
