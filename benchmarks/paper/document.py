"""Writes docs/reproduction.md and its plots: python -m benchmarks.paper.document [--executions 2000]

Every number on the page is measured by this run, except those marked as published.
"""

from __future__ import annotations

import argparse
import time

from benchmarks.paper import words
from benchmarks.paper.bugs import (
    BOUNDED,
    DEPTH_FIRST,
    FAIR_ONLY,
    FEWEST,
    NEW_ORDERS,
    RANDOM,
    REDUCED,
    Found,
    bug_table,
    find_all,
    published_table,
)
from benchmarks.paper.cartesian.table import cartesian_table, reduce_all
from benchmarks.paper.claims import claims
from benchmarks.paper.coverage import TESTS, Measured, coverage, coverage_plot, coverage_table, plain_plot, redundancy_plot
from benchmarks.paper.native import ROOT, first_execution
from benchmarks.paper.optimisations import switch_plot, switch_table, switched
from benchmarks.paper.orders import order_table, reduction_table
from benchmarks.paper.queue import queue_table, steal_all

DOCS = ROOT / "docs"
PLOTS = DOCS / "reproduction"
OPTIMISED_ALONE = TESTS[:2]  # those of Figures 8.9 and 8.10


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--executions", type=int, default=2_000, help="the most that one search may run; ten times as many without a bound")
    parser.add_argument("--states", type=int, default=100_000, help="the most states of a search without reduction, Table 1 of Cartesian")
    arguments = parser.parse_args()
    began, most = time.monotonic(), arguments.executions
    PLOTS.mkdir(exist_ok=True)
    reduced = reduce_all(arguments.states)
    measured = [coverage(test, most) for test in TESTS]
    bugs, stolen = find_all(most), steal_all(most)
    parts = [words.INTRODUCTION.format(most=most), "## Claims", words.CLAIMS]
    parts += [markdown(claims(measured, bugs, stolen, reduced))]
    parts += ["## The programs (Tables 3.1 and 8.1)", words.PROGRAMS, markdown(_programs())]
    parts += ["## Bounded search without reduction (Figure 3.1)", words.PLAIN, _plot("plain", plain_plot(measured))]
    parts += _coverage(measured)
    parts += _optimisations(measured, most)
    parts += _bugs(bugs)
    parts += ["## CB-POR: the work-stealing queue (its Table 1)", words.QUEUE, markdown(queue_table(stolen))]
    parts += ["## Cartesian reduction (its Table 1)", words.CARTESIAN, markdown(cartesian_table(reduced))]
    parts += ["## Reduction in practice", words.REDUCTION, markdown(reduction_table())]
    parts += ["## Optimal search: the orders", words.ORDERS, markdown(order_table())]
    (DOCS / "reproduction.md").write_text("\n\n".join(parts) + "\n")
    print(f"docs/reproduction.md written in {time.monotonic() - began:.0f} s")


def _programs() -> list[tuple[str, ...]]:
    table = [("here", "steps of the first execution", "threads that take steps", "in the dissertation", "figures")]
    for test in TESTS:
        steps, threads = first_execution(test.compiled())
        table.append((f"{test.name} ({test.file}.c)", str(steps), str(threads), test.published, test.figures))
    return table


def _coverage(measured: list[Measured]) -> list[str]:
    parts = ["## Coverage against time as the bound grows (Figures 8.1 to 8.8)", words.COVERAGE]
    for each in measured:
        parts += [
            f"### {each.test.name} (Figures {each.test.figures})",
            _plot(each.test.file, coverage_plot(each)),
            _plot(f"{each.test.file}_redundancy", redundancy_plot(each)),
            markdown(coverage_table(each)),
        ]
    return parts


def _optimisations(measured: list[Measured], most: int) -> list[str]:
    parts = ["## Each optimisation alone (Figures 8.9 and 8.10)", words.SWITCHES]
    for each in measured:
        if each.test in OPTIMISED_ALONE:
            found = switched(each, most)
            parts += [f"### {each.test.name}, alone", _plot(f"{each.test.file}_optimisations", switch_plot(each.test.name, found))]
            parts += [markdown(switch_table(found))]
    return parts


def _bugs(found: Found) -> list[str]:
    parts = ["## Time to known bugs (Figures 3.4 and 3.5, Table 8.2)", words.BUGS]
    parts += ["### Unbounded, in three orders (Figure 3.4)", markdown(bug_table(found, (DEPTH_FIRST, FEWEST, RANDOM)))]
    parts += ["### Within a bound, in two orders (Figure 3.5)", markdown(bug_table(found, (BOUNDED, NEW_ORDERS)))]
    parts += ["### With reduction (Table 8.2)", markdown(bug_table(found, (DEPTH_FIRST, BOUNDED, FAIR_ONLY, REDUCED)))]
    return [*parts, words.PUBLISHED_BUGS, markdown(published_table())]


def _plot(name: str, svg: str) -> str:
    (PLOTS / f"{name}.svg").write_text(svg)
    return f"![{name.replace('_', ' ')}](reproduction/{name}.svg)"


def markdown(table: list[tuple[str, ...]]) -> str:
    head, *rows = table
    lines = [head, tuple("---" for _ in head), *rows]
    return "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines)


if __name__ == "__main__":
    main()
