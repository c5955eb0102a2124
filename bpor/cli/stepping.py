"""`replay --step`: stops before each step and shows the state. Every state of the execution is known, so going back costs nothing."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable

from bpor.report.execution import Execution
from bpor.report.listing import state_lines
from bpor.report.text_line import Line

HELP = "Enter: next step, b: back, NUMBER: go to that step, c: to the end, q: quit"


def step_through(execution: Execution, show: Callable[[Iterable[Line]], None], width: int) -> None:
    """Reads commands from stdin until `q` or its end."""
    index, last = 0, len(execution.steps)
    print(HELP)
    while True:
        show(state_lines(execution, index, width))
        print("> ", end="", flush=True)
        line = sys.stdin.readline()
        word = line.strip()
        if not line or word in ("q", "quit"):
            print()
            return
        index = _where(word, index, last)


def _where(word: str, index: int, last: int) -> int:
    if word.isdecimal():
        return min(int(word), last)
    match word:
        case "" | "n" | "next":
            return min(index + 1, last)
        case "b" | "back":
            return max(index - 1, 0)
        case "c" | "continue":
            return last
    print(HELP)
    return index
