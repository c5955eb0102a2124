"""Writes docs/reproduction.md and its plots: python -m benchmarks.paper.document [--seconds 3]

Every number on the page is measured by this run, except those marked as published.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

from benchmarks.paper.bugs import bug_table, find_all
from benchmarks.paper.claims import Measured, claims
from benchmarks.paper.coverage import TESTS, coverage, coverage_plot, coverage_table, switches
from benchmarks.paper.native import ROOT
from benchmarks.paper.simulated import cartesian_table, order_table, queue_table, reduce_all

DOCS = ROOT / "docs"
PLOTS = DOCS / "reproduction"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=3.0, help="the most that one search may take")
    parser.add_argument("--states", type=int, default=100_000, help="the most states of a search without reduction")
    arguments = parser.parse_args()
    began, seconds = time.monotonic(), arguments.seconds
    measured = {test: coverage(test, seconds) for test in TESTS}
    bugs, reduced = find_all(seconds), reduce_all(arguments.states)
    parts = [_INTRODUCTION.format(seconds=seconds), "## Claims", _CLAIMS, markdown(claims(measured, bugs, reduced, seconds))]
    parts += _coverage(measured)
    parts += ["## Each optimisation alone", _SWITCHES, markdown(switches(seconds))]
    parts += ["## Time to known bugs", _BUGS, markdown(bug_table(bugs))]
    parts += ["## CB-POR: the work-stealing queue", _QUEUE, markdown(queue_table(seconds))]
    parts += ["## Cartesian reduction: Table 1", _CARTESIAN, markdown(cartesian_table(reduced, arguments.states))]
    parts += ["## Optimal search: the orders", _ORDERS, markdown(order_table(seconds))]
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
finished searches repeat on any machine, times do not. The programs are ours, written after what is known of the papers', so results
are compared by their shape. Figures of a paper stand here only where the column says *published*."""

_CLAIMS = """\
Each claim with the answer this run gave. *Stands in* names the abstract that makes the claim; *ours* is what we take the algorithm to
promise. Only searches that finished, or ran long enough to tell, are compared. A claim that does not hold here may hold on the papers'
programs."""

_COVERAGE = """\
Local states reached, and the time it took, for plain bounded search, for bounded partial-order reduction (Coons, Musuvathi, McKinley
2013), for the same with its optimisations (the sleep sets are ours) and for unbounded reduction (DPOR). *Visited / unique* is the number
of steps a search made divided by the local states it found. On the FFT all threads conflict on one lock, so bound 0 has 8! orders
already: no search finishes, and the bound saves nothing."""

_SWITCHES = """\
Executions within the bound, beginning with the reduction without any optimisation. The sleep sets are not the published ones,
which miss states (errata E3 and E4). The bound optimisation has nothing to put off under a fair bound."""

_BUGS = """\
Executions until the first failing one, and milliseconds. *Bounded* is depth-first search without reduction within the bound.
Our programs are small, which favours unbounded reduction; nothing here says how the searches compare on large ones."""

_QUEUE = """\
Executions of plain search within a preemption bound (cb-dfs) and of CB-POR (Musuvathi and Qadeer 2007) on a work-stealing queue of
ours; the paper's figures are not at hand. Our CB-POR also begins executions that stop at a state that is known; they have a column of
their own."""

_CARTESIAN = """\
Gueta, Flanagan, Yahav, Sagiv (2007): states / transitions. The standard column is exact, or says that there are more states than were
allowed. *Published* is the paper's cartesian column where we know it. Indexer and file system are the programs of Flanagan and Godefroid
(2005), the others are reconstructions: of the shared pointer the outline is known, of shared array, robots and philosophers the name.
CMIS is left out: we do not know what it does.

Where ours differs from the published column: an indexer's states agree on every row and its transitions lie 1 to 2 % below, the file
system has a tenth to a fifth fewer states. How the prefixes of a vector are extended decides where they stop; ours grow by one
operation of each thread in turn, and what the paper's do in detail is not known to us. Our philosophers take the left fork, then the
right one, and give both back; the published figures must be those of another program. *With deadlocks* adds the states without which
deadlocks are missed (erratum E17). *Moves together* is our concurrent variant: moves that nobody else can notice are made at once. It
saves where threads have objects of their own and costs a little where all of them share theirs."""

_ORDERS = """\
Executions of optimal search (Abdulla, Aronis, Jonsson, Sagonas 2017), without the short ones that only ask what a thread can do in
some state. In the order `dfs` every trace is run once and nothing else; the other orders take what waits at a state in another
sequence and repeat some traces."""

if __name__ == "__main__":
    main()
