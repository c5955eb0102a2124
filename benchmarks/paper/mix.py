"""The default search beside each search alone, on the bugs of bugs.py and on wide programs, in one run: executions until the bug,
or how many did not find it. `python -m benchmarks.paper.mix [--executions 20000]` prints two tables: the
searches, and the default search with other shares of drawn executions (`--only-shares`: that one alone). `--update` puts what was measured
into docs/searches.md, each table between marks of its own.
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

PAGE, END = ROOT / "docs" / "searches.md", "<!-- end -->\n"
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

    @property
    def count(self) -> str:
        return f"{self.executions:,}" if self.found else f"not in {self.executions:,}"

    def __str__(self) -> str:
        return f"{self.count} ({self.seconds:.1f} s)" if self.found else self.count


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
    return Cost(not missed, round(sum(one.executions for one in costs) / len(costs)), 0.0).count


@contextmanager
def shared(after: int, every: int) -> Iterator[None]:
    before = share.AFTER, share.EVERY
    share.AFTER, share.EVERY = (1 << 62, 1) if every == 0 else (after, every)
    try:
        yield
    finally:
        share.AFTER, share.EVERY = before


def searches(most: int, seconds: float, only: str) -> Iterator[Sequence[str]]:
    """Each program, by the default search and by each one alone."""
    yield ["program", "default", *(f"`{name}`" for name in ALONE)]
    for subject in subjects():
        if only in subject.name:
            yield [subject.name, cost(subject, None, most, seconds).count, *(cell(subject, name, most, seconds) for name in ALONE)]


def shares(most: int, seconds: float) -> Iterator[Sequence[str]]:
    """The default search, with other shares of drawn executions."""
    yield ["drawn", "wide.c: ten threads", "the same without its assertion"]
    wide, right = Subject("wide", compiled(WIDE)), Subject("right", compiled(WIDE, "-DNDEBUG"))
    for after, every in SHARES:
        with shared(after, every):
            costs = [cost(one, None, most, seconds) for one in (wide, right)]
        name = "none" if every == 0 else f"one for {every}" if after == 0 else f"one for {every} after {after:,}"
        yield [name, str(costs[0]), f"{costs[1].executions:,} in {costs[1].seconds:.1f} s"]


def written(rows: Iterator[Sequence[str]]) -> str:
    """As Markdown; each row is printed as soon as it is there."""
    text = ""
    for number, row in enumerate(rows):
        line = "| " + " | ".join(row) + " |\n" + ("|" + "---|" * len(row) + "\n" if number == 0 else "")
        print(line, end="", flush=True)
        text += line
    print()
    return text


def put(mark: str, table: str) -> None:
    """Between this mark and the next end, whatever else the page has."""
    before, begin, rest = PAGE.read_text("utf-8").partition(f"<!-- {mark} -->\n")
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise SystemExit(f"mix.py: {PAGE} has no mark {mark!r}")
    PAGE.write_text(before + begin + table + end + after, "utf-8")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--executions", type=int, default=20_000)
    parser.add_argument("--seconds", type=float, default=30.0)
    parser.add_argument("--only", default="", help="programs whose names contain this")
    parser.add_argument("--only-shares", action="store_true", help="the second table alone")
    parser.add_argument("--update", action="store_true", help="put the tables into docs/searches.md; not with --only")
    given = parser.parse_args()
    tables = {} if given.only_shares else {"searches": written(searches(given.executions, given.seconds, given.only))}
    tables["shares"] = written(shares(given.executions, given.seconds))
    for mark, table in tables.items():
        if given.update and not given.only:
            put(mark, table)


if __name__ == "__main__":
    main()
