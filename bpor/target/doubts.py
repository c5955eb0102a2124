"""Doubts about a race: in machine code a plain move may be an atomic one of the source, so what looks like a race there may be the very
synchronisation. Code that tells its accesses by itself (`bpor-native cc`) knows the difference; its inline assembler does not.

Invariant: a race is beyond doubt only if both of its accesses are told by instrumented code, outside of its marked parts. What orders the
two by moves of machine code is a conflict itself, which comes before the second of them and ends the execution first.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from functools import cache

from bpor.lazy_dataclass import dataclass, field
from bpor.model.trace import Description, End, Outcome
from bpor.target.elf import open_image
from bpor.target.image import PT_LOAD


@dataclass(frozen=True, slots=True)
class Doubts:
    """The sets are real paths of modules."""

    patched: frozenset[str] = frozenset()  # their machine code tells
    instrumented: frozenset[str] = frozenset()  # they tell by themselves ...
    marked: Mapping[str, tuple[tuple[int, int], ...]] = field(default_factory=dict)  # ... but for these addresses of theirs

    def needs_stacks(self, end: End) -> bool:
        """Only they tell whose accesses these are."""
        return bool(self.patched and self.instrumented) and end.outcome is Outcome.RACE

    def about(self, end: End, description: Description | None = None) -> bool:
        """Of an end that is a race; with the stacks of a described execution, where they are needed."""
        if not self.patched or end.outcome is not Outcome.RACE:
            return False
        if not self.instrumented or description is None:
            return True
        return not all(self._tells_itself(stack, description) for stack in (end.stack, end.other_stack))

    def is_patched(self, address: int, description: Description) -> bool:
        """Is this the code of a module that tells by our patch alone?"""
        path, _ = next(self._frames((address,), description), ("", 0))
        return path in self.patched and path not in self.instrumented

    def suspect(self, stack: Sequence[int], description: Description) -> str:
        """The name of the patched module that this stack is in; empty: it is in none."""
        return next((os.path.basename(path) for path, _ in self._frames(stack, description) if path in self.patched), "")

    def _tells_itself(self, stack: Sequence[int], description: Description) -> bool:
        path, address = next(self._frames(stack, description), ("", 0))
        return path in self.instrumented and not any(start <= address <= end for start, end in self.marked.get(path, ()))

    def _frames(self, stack: Sequence[int], description: Description) -> Iterator[tuple[str, int]]:
        """Modules, and addresses in them, of the program's own code; the frames of a handler and of libc lie above, and those of
        trampolines, which are in no module."""
        modules = [(base, os.path.realpath(path)) for base, path in description.modules]
        told = [(base, path) for base, path in modules if path in self.patched or path in self.instrumented]
        for address in stack:
            yield from ((path, inside) for base, path in told if (inside := _inside(path, base, address)) is not None)


NO_DOUBTS = Doubts()


def _inside(path: str, base: int, address: int) -> int | None:
    """The address as the file has it; None: it is not of this module."""
    for first, end, moves in _parts(path):
        inside = address - base if moves else address
        if first <= inside < end:
            return inside
    return None


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
