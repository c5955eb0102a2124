"""Times as the command line takes and writes them."""

from __future__ import annotations

import re

_UNITS = {"": 1.0, "ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0}


def read_duration(text: str) -> float | None:
    """Seconds; None for `none`."""
    if text == "none":
        return None
    match = re.fullmatch(r"(\d+(?:\.\d+)?)(ms|s|m|h)?", text)
    if match is None or float(match[1]) == 0:
        raise ValueError(f"{text!r} is not a time such as 30s, 10m, 2h or none")
    return float(match[1]) * _UNITS[match[2] or ""]


def decimal(value: float) -> str:
    """At most one place after the point, more only below one: `6.7`, `600`, `0.05`."""
    text = f"{value:.1f}" if abs(value) >= 1 else f"{value:.3f}"
    return text.rstrip("0").rstrip(".") or "0"


def duration_text(seconds: float | None) -> str:
    """The inverse: `10m` for 600."""
    if seconds is None:
        return "none"
    unit = next((unit for unit in ("h", "m") if seconds % _UNITS[unit] == 0), "s")
    return f"{decimal(seconds / _UNITS[unit])}{unit}"


def read_seconds(text: str) -> float:
    if (seconds := read_duration(text)) is None:
        raise ValueError("it cannot be switched off: without it a thread that blocks out of sight would hang the run")
    return seconds
