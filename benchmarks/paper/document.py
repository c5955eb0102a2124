"""Writes docs/reproduction.md and its plots: python -m benchmarks.paper.document [--seconds 3]

Every number on the page is measured by this run, except those marked as published.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

from benchmarks.paper.bugs import bug_table
from benchmarks.paper.claims import Measured, claims
from benchmarks.paper.coverage import TESTS, coverage, coverage_plot, coverage_table, switches
from benchmarks.paper.native import ROOT
from benchmarks.paper.simulated import cartesian_table, order_table, queue_table

DOCS = ROOT / "docs"
PLOTS = DOCS / "reproduction"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=3.0, help="the most that one search may take")
    parser.add_argument("--states", type=int, default=100_000, help="the most states of a search without reduction")
    arguments = parser.parse_args()
    began = time.monotonic()
    measured = {test: coverage(test, arguments.seconds) for test in TESTS}
    parts = [_INTRODUCTION.format(seconds=arguments.seconds), "## Claims", markdown(claims(measured, arguments.seconds))]
    parts += _coverage(measured)
    parts += ["## Each optimisation alone", _SWITCHES, markdown(switches(arguments.seconds))]
    parts += ["## Time to known bugs", _BUGS, markdown(bug_table(arguments.seconds))]
    parts += ["## CB-POR: the work-stealing queue", _QUEUE, markdown(queue_table(arguments.seconds))]
    parts += ["## Cartesian reduction: Table 1", _CARTESIAN, markdown(cartesian_table(arguments.states))]
    parts += ["## Optimal search: the orders", _ORDERS, markdown(order_table(arguments.seconds))]
    (DOCS / "reproduction.md").write_text("\n\n".join(parts) + "\n")
    print(f"docs/reproduction.md written in {time.monotonic() - began:.0f} s")


def _coverage(measured: Measured) -> list[str]:
    parts = ["## Coverage against time as the bound grows", _COVERAGE]
    PLOTS.mkdir(exist_ok=True)
    for test, rows in measured.items():
        plot = PLOTS / f"{Path(test.file).stem}.svg"
        plot.write_text(coverage_plot(test, rows))
        parts += [f"### {test.name}", f"![{test.name}](reproduction/{plot.name})", markdown(coverage_table(rows))]
    return parts


def markdown(table: list[tuple[str, ...]]) -> str:
    head, *rows = table
    lines = [head, tuple("---" for _ in head), *rows]
    return "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines)


_INTRODUCTION = """\
# The papers' experiments, repeated

Written by `make paper`; do not edit. Each search had at most {seconds:g} s; `>` marks one that did not finish in that time. Counts of
finished searches repeat on any machine, times do not. The programs are ours, after the papers' descriptions, so results are compared
by their shape. What a paper claims and this run can decide stands under "Claims", with the answer this run gave."""

_COVERAGE = """\
Bounded partial-order reduction (Coons, Musuvathi, McKinley 2013) is measured by the local states reached in a time, for plain bounded
search, for the reduction, for the reduction with its optimisations (ours, for sleep sets) and for unbounded reduction (DPOR).
*Visited / unique* is the number of steps a search made divided by the local states it found. On the FFT all threads conflict on one
lock, so bound 0 has 8! orders already: no search finishes, and the bound saves nothing."""

_SWITCHES = """\
Executions within preemption:2, beginning with the reduction without any optimisation. The sleep sets are not the published ones,
which miss states (errata E3 and E4)."""

_BUGS = """\
Executions until the first failing one, and milliseconds. *Bounded* is depth-first search without reduction within the bound.
Our programs are small, which favours unbounded reduction; nothing here says how the searches compare on large ones."""

_QUEUE = """\
Musuvathi and Qadeer (2007): executions of plain context-bounded search (cb-dfs) and of CB-POR. Our CB-POR also begins executions that
stop at a state that is known; they have a column of their own."""

_CARTESIAN = """\
Gueta, Flanagan, Yahav, Sagiv (2007): states / transitions. Indexer and file system are the programs of Flanagan and Godefroid (2005);
the number of states agrees on all rows of the indexer, the file system is below the published figure. Our philosophers (take left,
take right, give both back) are not the paper's and have other numbers. The last column adds the states that restore deadlocks
(erratum E17). SharedPtr, SharedArray, the robots and CMIS are not repeated."""

_ORDERS = """\
Executions of optimal search (Abdulla, Aronis, Jonsson, Sagonas 2017). In the order `dfs` every trace is run once and nothing else;
the other orders take what waits at a state in another sequence and repeat some traces."""

if __name__ == "__main__":
    main()
