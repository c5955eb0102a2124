"""cartesian: every local state and every deadlock, by cartesian partial-order reduction (Gueta, Flanagan, Yahav, Sagiv, SPIN 2007).

It covers what each thread can observe and every deadlock, not every trace; `traces` in its numbers are those it happened to finish.
States are recognised by their memory where the executor can tell, else by their happens-before graphs; `cartesian:happens-before` does
without memory. Beside the program and in the library it is the same search in C (csrc/engine/cartesian); there several processes share the
states (-j).
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from bpor.errors import UsageError
from bpor.model.plan import Plan
from bpor.model.trace import Trace
from bpor.search.bounds.bound import NONE, Bound
from bpor.search.cartesian.beside import BesideWalk
from bpor.search.cartesian.states import StateWalk
from bpor.search.coverage import Level
from bpor.search.options import SearchOptions
from bpor.search.tally import Counts

if TYPE_CHECKING:
    from bpor.search.cartesian.library import LibraryWalk

COVERS = "every local state of every thread and every deadlock, not every final state"
MEMORY, HAPPENS_BEFORE = "memory", "happens-before"


class Cartesian:
    def __init__(self, options: SearchOptions, known_by: str = MEMORY, library: Path | None = None) -> None:
        self.walk = _walk(options, known_by == MEMORY, library)

    def next_plan(self) -> Plan | None:
        return self.walk.next_plan()

    def learn(self, trace: Trace) -> None:
        self.walk.learn(trace)

    @property
    def endless_shown(self) -> bool:
        """Was one execution run to the step limit, in a state that nobody can leave?"""
        return self.walk.endless_shown

    @property
    def exhausted(self) -> bool:
        return self.walk.finished

    @property
    def counts(self) -> Counts:
        return self.walk.tally.counts()

    def levels(self) -> tuple[Level, ...]:
        return (Level(NONE, self.counts, self.walk.finished, 0, covers=COVERS + self._remark()),)

    def _remark(self) -> str:
        """A loop that comes back to its state needs no step limit to end: nothing is said of it then."""
        if self.walk.unidentified:
            return f"; states known by {HAPPENS_BEFORE}, not by {MEMORY}: {self.walk.unidentified}"
        return "; livelocks are not looked for" if self.walk.identified else ""


def _walk(options: SearchOptions, identify: bool, library: Path | None) -> StateWalk | BesideWalk | LibraryWalk:
    if options.engine == "native":
        return BesideWalk(options, identify)
    if options.engine == "library":
        from bpor.search.cartesian.library import LibraryWalk  # it loads a library that searches of native programs do not need

        return LibraryWalk(options, identify, library)
    return StateWalk(options, identify)


def cartesian(bound: Bound, options: SearchOptions, seed: int, known_by: str = MEMORY) -> Cartesian:
    if not bound.is_none:
        raise UsageError(f"--search cartesian takes no bound, but {bound} was given")
    if known_by not in (MEMORY, HAPPENS_BEFORE):
        raise UsageError(f"cartesian: states are known by {MEMORY} or by {HAPPENS_BEFORE}, not by {known_by!r}")
    return Cartesian(options, known_by)
