"""The default search beside each search alone, on the bugs of bugs.py and on wide programs, in one run: executions and processor seconds
until the bug, or how many executions did not find it. `python -m benchmarks.paper.mix [--executions 20000]` prints two tables: the
searches, and the default search with other shares of drawn executions.
"""

from __future__ import annotations

import argparse
import resource
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from benchmarks.paper.bugs import BUGS
from benchmarks.paper.native import ROOT, compiled
from bpor.api import check
from bpor.search.strategies import share

WIDE = ROOT / "tests" / "native" / "wide.c"
DRAWN = ("pct", "pos", "random")
ALONE = ("dpor", "optimal", "cb-por", "bpor", "best-first:pb", "best-first:random", "delay", "cartesian", *DRAWN)
WITHIN = {"bpor": "preemption:2", "best-first:pb": "preemption:2", "best-first:random": "preemption:2", "delay": "delta:2"}
SHARES = ((0, 0), (4_096, 64), (4_096, 16), (4_096, 4), (1_024, 16), (0, 16), (0, 1))  # after so many executions, one for so many
FAIR = ("dpor", "bpor", "best-first:pb", "best-first:random")
DRAWS = 3


@dataclass(frozen=True, slots=True)
class Subject:
    name: str
    program: str
    fair: int | None = None

    def bound_for(self, search: str | None) -> str | None:
        """The default search finds its own bound; loops need a fair one everywhere else."""
        if search is None or search in DRAWN:
            return None
        fair = () if self.fair is None or search not in FAIR else (f"fair:{self.fair}",)
        return ",".join([*fair, *([WITHIN[search]] if search in WITHIN else [])]) or "none"


@dataclass(frozen=True, slots=True)
class Cost:
    found: bool
    executions: int
    seconds: float  # of processor time: tool and program

    def __str__(self) -> str:
        return f"{self.executions:,} ({self.seconds:.1f} s)" if self.found else f"not in {self.executions:,}"


def subjects() -> Iterator[Subject]:
    for bug in BUGS:
        yield Subject(bug.name, bug.compiled(), bug.fair)
    yield Subject("wide.c: ten threads", compiled(WIDE))
    yield Subject("wide.c: five threads", compiled(WIDE, "-DTHREADS=5"))


def cost(subject: Subject, search: str | None, most: int, seconds: float, seed: int = 0) -> Cost:
    before = _processor_seconds()
    bound = subject.bound_for(search)
    result = check([subject.program], search=search, bound=bound, max_time=seconds, max_executions=most, state="none", seed=seed)
    executions = 0 if result.search is None else result.search.executions
    return Cost(bool(result.findings), executions, _processor_seconds() - before)


def _processor_seconds() -> float:
    return sum(used.ru_utime + used.ru_stime for used in map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)))


def cell(subject: Subject, search: str, most: int, seconds: float) -> str:
    """A search that draws is the mean of several."""
    costs = [cost(subject, search, most, seconds, seed) for seed in range(DRAWS if search in DRAWN else 1)]
    missed = [one for one in costs if not one.found]
    if len(costs) > 1 and missed:
        return f"missed by {len(missed)} of {len(costs)}"
    each = [sum(values) / len(costs) for values in zip(*((one.executions, one.seconds) for one in costs), strict=True)]
    return str(Cost(not missed, round(each[0]), each[1]))


@contextmanager
def shared(after: int, every: int) -> Iterator[None]:
    before = share.AFTER, share.EVERY
    share.AFTER, share.EVERY = (1 << 62, 1) if every == 0 else (after, every)
    try:
        yield
    finally:
        share.AFTER, share.EVERY = before


def table(head: Sequence[str]) -> None:
    print("| " + " | ".join(head) + " |")
    print("|" + "---|" * len(head), flush=True)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--executions", type=int, default=20_000)
    parser.add_argument("--seconds", type=float, default=30.0)
    parser.add_argument("--only", default="", help="programs whose names contain this")
    given = parser.parse_args()
    table(["program", "default", *(f"`{name}`" for name in ALONE)])
    for subject in subjects():
        if given.only not in subject.name:
            continue
        default = str(cost(subject, None, given.executions, given.seconds))
        cells = [cell(subject, name, given.executions, given.seconds) for name in ALONE]
        print("| " + " | ".join([subject.name, default, *cells]) + " |", flush=True)
    print()
    wide = Subject("wide", compiled(WIDE))
    right = Subject("right", compiled(WIDE, "-DNDEBUG"))
    table(["drawn", "wide.c: ten threads", "the same without its assertion"])
    for after, every in SHARES:
        with shared(after, every):
            name = "none" if every == 0 else f"one for {every} after {after:,}"
            costs = [cost(one, None, given.executions, given.seconds) for one in (wide, right)]
        print(f"| {name} | {costs[0]} | {costs[1].executions:,} in {costs[1].seconds:.1f} s |", flush=True)


if __name__ == "__main__":
    main()
