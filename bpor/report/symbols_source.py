"""The text of a source line, if the file that the debug information names is still there."""

from __future__ import annotations

import re
from functools import lru_cache

_ESCAPE = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")
_LARGEST = 8 << 20  # bytes; a larger "source" is generated and no reader wants a line of it


@lru_cache(maxsize=64)
def _lines(path: str) -> tuple[str, ...]:
    try:
        with open(path, "rb") as file:
            data = file.read(_LARGEST + 1)
    except (OSError, ValueError):
        return ()
    return tuple(data.decode("utf-8", "replace").splitlines()) if len(data) <= _LARGEST else ()


def source_line(path: str, line: int) -> str:
    """Without indentation; empty if unknown. Control characters are made visible: a source file must not move the cursor."""
    lines = _lines(path)
    return printable(lines[line - 1].strip()) if 0 < line <= len(lines) else ""


def without_escapes(text: str) -> str:
    """A program's output without the sequences by which a terminal is told colours and positions."""
    return _ESCAPE.sub("", text)


def printable(text: str) -> str:
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() else " " if char == "\t" else "�" for char in text)


def source_lines(path: str, first: int, last: int) -> list[tuple[int, str]]:
    """Numbered lines with their indentation, as far as the file has them."""
    lines = _lines(path)
    return [(number, printable(lines[number - 1].expandtabs(4).rstrip())) for number in range(max(first, 1), min(last, len(lines)) + 1)]
