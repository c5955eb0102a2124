"""Waiting, without the clock: a test waits for what it is about, and the only limit is the one at which waiting is a hang."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

PATIENCE = 600.0  # seconds; far above anything here on a machine with twenty others at work
_BETWEEN = 0.005

T = TypeVar("T")


def eventually(look: Callable[[], T], what: str) -> T:
    """The first thing `look` finds."""
    deadline = time.monotonic() + PATIENCE
    while not (found := look()):
        assert time.monotonic() < deadline, f"never happened: {what}"
        time.sleep(_BETWEEN)
    return found
