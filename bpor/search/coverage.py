"""What a search may claim. A Level is one bound searched to some extent; the verdict is read off the strongest complete one.

Invariant: "all schedules" is said only if no bound ever refused a thread and no execution was cut (erratum E25); nothing is said of a
bound within which no execution came to its end.
"""

from __future__ import annotations

from typing import Any

from bpor.lazy_dataclass import asdict, dataclass
from bpor.search.bounds.bound import NONE, Bound
from bpor.search.bounds.grammar import parse_bound
from bpor.search.estimate import Estimate
from bpor.search.tally import Counts


@dataclass(frozen=True, slots=True)
class Level:
    bound: Bound
    counts: Counts
    finished: bool  # nothing is left to run within it
    refused: int  # states at which the bound refused a thread the search wanted to run
    estimate: Estimate | None = None  # of the executions it takes altogether; None: no tree
    every: bool = False  # each of its schedules was run: the statement does not rest on what the reduction takes for independent
    covers: str = ""  # what a search covers that does not cover every schedule within the bound
    states: int = 0  # that were recognised wherever they came again, so that endless schedules are covered too; 0: none were
    livelocks: int = 0  # sets of them in which a fair schedule can go on for ever

    @property
    def complete(self) -> bool:
        """Every schedule within the bound was run or proved equivalent to one that was, and there was one."""
        return self.finished and self.counts.cut == 0 and self.counts.complete > 0

    @property
    def passed(self) -> bool:
        """Complete, and the fair bound kept nobody waiting who was getting on with something: who only waits for others loses nothing."""
        return self.complete and self.counts.lost == 0

    @property
    def vacuous(self) -> bool:
        """Nothing is left to run within the bound, and no execution came to its end: it says nothing about the program."""
        return self.finished and self.counts.cut == 0 and self.counts.complete == 0

    @property
    def whole(self) -> bool:
        """Complete, and the bound never mattered: every schedule there is."""
        return self.complete and self.refused == 0 and self.counts.over_bound == 0 and not self.covers

    def statement(self) -> str:
        if self.covers:
            return self.covers
        if self.whole and self.states:
            ends = "" if self.livelocks else "; every fair schedule ends"
            return f"{NONE.statement()}, the endless ones included ({self.states:,} states){ends}"
        if self.whole:
            return NONE.statement()
        run = ", each of them run" if self.every else ""
        # In how many states depends on who searched which part: Level.refused tells it.
        refused = ", which refused threads" if self.refused and self.bound.value_fair is not None else ""
        return self.bound.statement() + run + refused


def strongest(levels: tuple[Level, ...]) -> Level | None:
    """The level passed that says most: all schedules, else no preemption bound, else the most preemptions; ties by the fair bound."""
    complete = [level for level in levels if level.passed]
    return max(complete, key=_strength, default=None)


def _strength(level: Level) -> tuple[bool, int, int]:
    infinite = 1 << 62
    counted = [term.high for term in level.bound.terms if term.kind.value != "fair"]
    fair = level.bound.value_fair
    return level.whole, min(counted, default=infinite), infinite if fair is None else fair


def save_level(level: Level) -> dict[str, Any]:
    return {
        "bound": str(level.bound),
        "counts": asdict(level.counts),
        "finished": level.finished,
        "refused": level.refused,
        "every": level.every,
        "covers": level.covers,
        "states": level.states,
        "livelocks": level.livelocks,
        "estimate": None if level.estimate is None else asdict(level.estimate),
    }


def load_level(saved: dict[str, Any]) -> Level:
    estimate = saved["estimate"]
    return Level(
        parse_bound(saved["bound"]),
        Counts(**saved["counts"]),
        saved["finished"],
        saved["refused"],
        None if estimate is None else Estimate(**estimate),
        saved["every"],
        saved["covers"],
        saved["states"],
        saved["livelocks"],
    )
