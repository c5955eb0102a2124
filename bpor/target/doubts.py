"""Doubts about a race: in machine code a plain move may be an atomic one of the source, so what looks like a race there may be the very
synchronisation. Code that tells its accesses by itself (`bpor-native cc`) knows the difference.

Invariant: a race is beyond doubt only if both of its accesses are told by instrumented code. What orders the two by moves of machine code
is a conflict itself, which comes before the second of them and ends the execution first.
"""

from __future__ import annotations

import os
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from bpor.model.trace import Description, End, Outcome


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
        """Of the program's own code; the frames of a handler and of libc lie above."""
        modules = sorted((base, os.path.realpath(path)) for base, path in description.modules)
        bases = [base for base, _ in modules]
        for address in stack:
            path = modules[bisect_right(bases, address) - 1][1] if address >= bases[0] else ""
            if path in self.patched or path in self.instrumented:
                yield path
