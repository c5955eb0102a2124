"""A frame of a search's stack as data, as every engine saves it: what they agree on."""

from __future__ import annotations

from typing import Any


def take_back(frame: dict[str, Any]) -> None:
    """Its choice is still to be made; the alternatives before it are explored (`kept`: how many, and what wakes the thread by any)."""
    if frame["alternative"]:
        frame["alternative"] -= 1
        frame["watch"] = None
    else:
        frame["done"] &= ~(1 << frame["chosen"])
        frame["chosen"] = None
