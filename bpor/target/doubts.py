"""Doubts about a race: in machine code a plain move may be an atomic one of the source, so what looks like a race there may be the very
synchronisation. Code that tells its accesses by itself (`bpor-native cc`) knows the difference.

Invariant: a race is beyond doubt only if both of its accesses are told by instrumented code. What orders the two by moves of machine code
is a conflict itself, which comes before the second of them and ends the execution first.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from functools import cache

from bpor.lazy_dataclass import dataclass
from bpor.model.trace import Description, End, Outcome
from bpor.target.elf import open_image
from bpor.target.image import PT_LOAD


@dataclass(frozen=True, slots=True)
class Doubts:
    """The sets are real paths of modules."""

    patched: frozenset[str] = frozenset()  # their machine code tells
    instrumented: frozenset[str] = frozenset()  # they tell by themselves

    def needs_stacks(self, end: End) -> bool:
        """Only they tell whose accesses these are."""
        return bool(self.patched and self.instrumented) and end.outcome is Outcome.RACE

    def about(self, end: End, description: Description | None = None) -> bool:
        """Of an end that is a race; with the stacks of a described execution, where they are needed."""
        if not self.patched or end.outcome is not Outcome.RACE:
            return False
        if not self.instrumented or description is None:
            return True
        accesses = (next(self._modules(stack, description), "") for stack in (end.stack, end.other_stack))
        return not self.instrumented.issuperset(accesses)

    def suspect(self, stack: Sequence[int], description: Description) -> str:
        """The name of the patched module that this stack is in; empty: it is in none."""
        return next((os.path.basename(path) for path in self._modules(stack, description) if path in self.patched), "")

    def _modules(self, stack: Sequence[int], description: Description) -> Iterator[str]:
        """Of the program's own code; the frames of a handler and of libc lie above, and those of trampolines, which are in no module."""
        modules = [(base, os.path.realpath(path)) for base, path in description.modules]
        told = [(base, path) for base, path in modules if path in self.patched or path in self.instrumented]
        for address in stack:
            yield from (path for base, path in told if _contains(path, base, address))


def _contains(path: str, base: int, address: int) -> bool:
    return any((base if moves else 0) + first <= address < (base if moves else 0) + end for first, end, moves in _parts(path))


@cache
def _parts(path: str) -> tuple[tuple[int, int, bool], ...]:
    """Of what is loaded: its first address, the one behind its last, and whether these count from where the loader put the file."""
    try:
        with open_image(path) as image:
            parts = image.segments if image is not None else ()
            moves = image is None or image.kind != "executable"
            return tuple((part.address, part.address + part.memory, moves) for part in parts if part.kind == PT_LOAD)
    except OSError:
        return ()
