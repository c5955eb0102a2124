"""The smallest program that still shows a difference: parts are left out for as long as one remains."""

from __future__ import annotations

from collections.abc import Callable

from tests.native.referee.programs import Program, smaller

MOST_TRIES = 200


def shrink(program: Program, differs: Callable[[Program], str]) -> tuple[Program, str]:
    """And how it differs."""
    found, tries = differs(program), 0
    progress = bool(found)
    while progress and tries < MOST_TRIES:
        progress = False
        for candidate in smaller(program):
            tries += 1
            if why := differs(candidate):
                program, found, progress = candidate, why, True
                break
    return program, found
