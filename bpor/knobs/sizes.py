"""Amounts of memory as the command line takes and writes them."""

from __future__ import annotations

import re

_UNITS = {"M": 1 << 20, "G": 1 << 30}
LEAST = 256 << 20  # what a search needs


def read_size(text: str) -> int | None:
    """Bytes; None for `none`."""
    if text == "none":
        return None
    match = re.fullmatch(r"(\d+(?:\.\d+)?)(M|G)", text)
    if match is None:
        raise ValueError(f"{text!r} is not an amount of memory such as 512M, 2G or none")
    if (size := int(float(match[1]) * _UNITS[match[2]])) < LEAST:
        raise ValueError(f"{text!r} is less than the {size_text(LEAST)} that a search needs")
    return size


def size_text(size: int | None) -> str:
    """The inverse: `2G`, `512M`."""
    if size is None:
        return "none"
    unit = "G" if size % _UNITS["G"] == 0 else "M"
    return f"{size / _UNITS[unit]:.6f}".rstrip("0").rstrip(".") + unit
