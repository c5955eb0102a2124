"""What best-first search keeps: states that its executions came through, those kept at most, and the bytes that one takes, in memory and on
disk. `python benchmarks/fringe.py [--room 1024]` prints a table.

A stack of the search has a frame, a step, its clock and the operation that follows for every state; the tree keeps a step as words and the
sets of its state, and leaves out what follows from the state above when it goes to disk.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.paper.native import ROOT, compiled
from bpor.search.best_first.beside import BesideOpen
from bpor.search.bounds.grammar import parse_bound
from bpor.search.budget import Budget
from bpor.search.explorer import Explorer
from bpor.search.options import SearchOptions
from bpor.search.strategies.best_first import best_first
from bpor.target.exploring import ExploringExecutor
from bpor.target.options import TargetOptions

PROGRAMS = (
    ("buggy/deadlock/philosophers.c", ("-DN=6",), "preemption:2"),
    ("buggy/deadlock/philosophers.c", ("-DN=8",), "none"),
    ("correct/mutex/counter.c", ("-DTHREADS=4",), "none"),
)
_STACK = 160 + 104 + 256 + 32  # bytes: frame, pushed, clock_vector, announced (csrc/engine/tree.h)


def row(file: str, flags: tuple[str, ...], bound: str, priorities: str, room: int, most: int) -> str:
    with ExploringExecutor([compiled(ROOT / "native_tests" / file, *flags)], TargetOptions()) as executor:
        strategy = best_first(parse_bound(bound), SearchOptions(engine="native", open_limit=room), 0, priorities)
        result = Explorer(executor, strategy, Budget(max_executions=most, max_findings=None)).run()
    tree = strategy.tree
    assert isinstance(tree, BesideOpen)
    shelved, steps = tree.shelved, result.counts.steps
    each = f"{shelved.plain_bytes / shelved.written:.0f} | {shelved.bytes / shelved.written:.0f}" if shelved.written else "- | -"
    name = f"{' '.join([file, *flags])}, {bound}, `{priorities}`"
    return f"| {name} | {result.executions} | {steps} | {tree.most_nodes} | {shelved.written} | {_STACK} | {each} |"


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--room", type=int, default=256, help="states in memory")
    parser.add_argument("--executions", type=int, default=10_000)
    given = parser.parse_args()
    print("| program | executions | states come through | most in memory | written | bytes as in a stack | in the tree | on disk |")
    print("|---|---|---|---|---|---|---|---|")
    for file, flags, bound in PROGRAMS:
        for priorities in ("pb", "random"):
            print(row(file, flags, bound, priorities, given.room, given.executions), flush=True)


if __name__ == "__main__":
    main()
