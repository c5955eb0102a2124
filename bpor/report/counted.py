"""Numbers as people write them: `1 execution`, `12 million`."""

from __future__ import annotations


def counted(number: int, noun: str) -> str:
    """`1 execution`, `2 executions`."""
    return f"{number} {noun}{'s' * (number != 1)}"


def every_execution(number: int) -> str:
    """`all 7 executions`, `the only execution`."""
    return f"all {number} executions" if number > 1 else "the only execution"


def estimated(number: int, error: float) -> str:
    """`about 113000 ± 0.4 %`; exact: `90`."""
    return f"about {number} ± {100 * error:.1f} %" if error else str(number)


def rough(value: float) -> str:
    """A large number in words: `1,200`, `12 million`."""
    for size, word in ((1e12, "trillion"), (1e9, "billion"), (1e6, "million")):
        if value >= size:
            return f"{value / size:.0f} {word}"
    return f"{value:,.0f}"
