"""Loaded: which code was in the controlled process, of all executions together: what a census that runs nothing cannot know."""

from __future__ import annotations

from collections.abc import Callable

from bpor.lazy_dataclass import dataclass, replace


@dataclass(frozen=True, slots=True)
class Loaded:
    paths: frozenset[str] = frozenset()  # of modules
    made_code: bool = False  # it has code that no file was mapped to
    unloaded: bool = False  # a module was there and is gone again: its name is not known
    patched: frozenset[tuple[str, str]] = frozenset()  # modules whose machine code was to be patched, and what was in the way; "": nothing
    untold: frozenset[str] = frozenset()  # what is taken for granted of calls that it made (csrc/process/untold.c)

    def renamed(self, name: Callable[[str], str]) -> Loaded:
        """With other paths for its modules."""
        return replace(self, paths=frozenset(map(name, self.paths)), patched=frozenset((name(path), why) for path, why in self.patched))

    def __or__(self, other: Loaded) -> Loaded:
        return Loaded(
            self.paths | other.paths,
            self.made_code or other.made_code,
            self.unloaded or other.unloaded,
            self.patched | other.patched,
            self.untold | other.untold,
        )
