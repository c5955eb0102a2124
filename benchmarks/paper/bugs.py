"""Executions and time to known bugs: Figures 3.4 and 3.5 and Table 8.2 of the dissertation."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import mean

from benchmarks.paper.native import ROOT, compiled, measure
from bpor.search.comparison import Row

BUGGY = ROOT / "native_tests" / "buggy"
DRAWS = 3  # a random search is the mean of as many


@dataclass(frozen=True, slots=True)
class Bug:
    file: str
    kind: str
    flags: tuple[str, ...] = ()
    preemptions: int = 2
    fair: int | None = None  # a loop needs a fair bound to be searched at all

    @property
    def name(self) -> str:
        return " ".join([self.file, *self.flags])

    @property
    def bound(self) -> str:
        return f"{self.unbounded},preemption:{self.preemptions}" if self.fair is not None else f"preemption:{self.preemptions}"

    @property
    def unbounded(self) -> str:
        return "none" if self.fair is None else f"fair:{self.fair}"

    def compiled(self) -> str:
        return compiled(BUGGY / self.file, *self.flags)


BUGS = (
    Bug("deadlock/bank.c", "deadlock"),
    Bug("deadlock/philosophers.c", "deadlock", ("-DN=4",)),
    Bug("deadlock/philosophers.c", "deadlock", ("-DN=5",)),
    Bug("deadlock/three_locks.c", "deadlock"),
    Bug("deadlock/lost_wakeup.c", "deadlock"),
    Bug("deadlock/semaphore_thief.c", "deadlock"),
    Bug("deadlock/signal_for_broadcast.c", "deadlock"),
    Bug("assertion/queue_if_for_while.c", "assertion"),
    Bug("assertion/check_then_act.c", "assertion"),
    Bug("assertion/barrier_wrong_side.c", "assertion"),
    Bug("assertion/rwlock_check_then_act.c", "assertion"),
    Bug("livelock/polite.c", "livelock", fair=2),
)
PUBLISHED = (  # Table 8.2: seconds; None: it does not find the bug
    ("MRSE", "deadlock", 2, 6, None, 1),
    ("CCR", "assertion", 69, 39, None, 9),
    ("CCR", "assertion", 64, 35, None, 8),
    ("NQueens", "assertion", None, 75, 5, 4),
    ("NQueens", "livelock", None, 3235, 502, 125),
    ("NQueens", "assertion", None, 312, 80, 11),
    ("Matrix", "assertion", None, 54, 2, 2),
    ("Matrix", "livelock", None, 1089, 787, 137),
    ("Matrix", "livelock", None, None, 694, 136),
    ("RegOwn", "exception", None, None, 3474, 1586),
)
Found = dict[Bug, dict[str, list[Row]]]  # several rows where the search draws
DEPTH_FIRST, FEWEST, RANDOM = "DPOR", "DPOR, fewest preemptions first", "DPOR, random"
BOUNDED, NEW_ORDERS, REDUCED, FAIR_ONLY = "bounded", "bounded, new partial orders first", "BPOR", "BPOR, fair bound only"


def time_to_bug(bug: Bug, most: int) -> dict[str, list[Row]]:
    program = bug.compiled()

    def find(search: str, bound: str, draws: int = 1) -> list[Row]:
        return [measure(program, search, bound, most, max_findings=1, seed=seed) for seed in range(draws)]

    found = {
        DEPTH_FIRST: find("dpor", bug.unbounded),
        FEWEST: find("best-first:pb", bug.unbounded),
        RANDOM: find("best-first:random", bug.unbounded, DRAWS),
        BOUNDED: find("dfs", bug.bound),
        NEW_ORDERS: find("best-first-all:dpor,sleep", bug.bound),
        REDUCED: find("bpor", bug.bound),
    }
    return found if bug.fair is None else {**found, FAIR_ONLY: find("bpor", bug.unbounded)}


def find_all(most: int) -> Found:
    return {bug: time_to_bug(bug, most) for bug in BUGS}


def bug_table(found: Found, searches: tuple[str, ...]) -> list[tuple[str, ...]]:
    table = [("program", "bug", "bound", *searches)]
    for bug, rows in found.items():
        table.append((bug.name, bug.kind, bug.bound, *(_cell(rows[name]) if name in rows else "" for name in searches)))
    return table


def published_table() -> list[tuple[str, ...]]:
    head = ("unit test", "bug", "DPOR", "bounded", "BPOR, fair bound only", "BPOR")
    return [head, *((name, bug, *("" if figure is None else f"{figure} s" for figure in figures)) for name, bug, *figures in PUBLISHED)]


def executions(rows: list[Row]) -> float | None:
    """To the first failure, in the mean; None: some search did not meet it."""
    counts = [row.first_failure for row in rows]
    return None if None in counts else mean(count for count in counts if count is not None)


def _cell(rows: list[Row]) -> str:
    count = executions(rows)
    if count is None:
        missed = [row for row in rows if row.first_failure is None]
        return f"not in {missed[0].executions}" if len(rows) == 1 else f"missed by {len(missed)} of {len(rows)}"
    seconds = mean(row.first_failure_seconds or 0.0 for row in rows)
    return f"{count:.3g} ({seconds * 1000:.0f} ms)"
