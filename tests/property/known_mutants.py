"""The C engine with one rule of known steps bent: random programs searched with the table notice each.

`python -m tests.property.known_mutants [SECONDS] [NAME ...]` is for them what engine_mutants.py is for the search without a table.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from tests.property.engine_mutants import Mutant, built
from tests.property.soak_known_steps import attempt

KNOWN_MUTANTS = (
    Mutant(
        "a whole trace of known steps is not executed",
        "E45",
        "walk.c",
        "return known_has_key(&known->trace, ",
        "return true || known_has_key(&known->trace, ",
        35,
    ),
    Mutant("who read what a step writes is not in its past", "E42", "history.c", "!may_only_look(operation->kind));", "false);", 9),
    Mutant(
        "states beside timed waits are known under a fair bound",
        "E48",
        "walk.c",
        "(!tree->waits_timed && !rule_blocks_somebody(tree, *ready))",
        "true",
        489,
    ),
    Mutant("a thread that has ended is not told", "question", "question.c", "view->ended(view, operation->target)) | 2", "0) | 2", 4),
    Mutant("an execution outside of the bound counts", "leader", "known.c", "return tree->leads && cost >", "return false && cost >", 19),
    Mutant("a stranded run is a whole trace", "stranded", "known.c", "stranded ? bpor_mix(tree_trace_hash(tree), 1) : ", "", 416),
)
# What random programs are too rarely made of.
BY_OBJECTS = Mutant("whether a thread can go on depends on objects only", "E43", "question.c", "    if (!locks)\n", "    if (false)\n", 0)
UNSTRANDED = Mutant("no run is stranded", "", "runahead.c", "return bounds_context(tree) || tree->causal;", "return false && tree;", 0)


def notices(library: Path | None, seed: int) -> bool | None:
    """Is something lost in the random program of this seed? None: it is too large."""
    trial = attempt(seed, library)
    return None if trial is None else bool(trial.lost)


def report(mutants: Sequence[Mutant], notices: Callable[[Path, int], bool | None]) -> int:
    """The first random program that notices each of them, or those named on the command line. 1: some are not noticed in time."""
    seconds, names, missed = float(sys.argv[1]) if len(sys.argv) > 1 else 120.0, sys.argv[2:], 0
    for mutant in mutants:
        if names and mutant.name not in names:
            continue
        library, seed, begun = built(mutant), 1, time.process_time()
        while not (noticed := notices(library, seed)) and time.process_time() < begun + seconds:
            seed += 1
        missed += not noticed
        words = f"seed {seed}" if noticed else f"NOT NOTICED by {seed} programs"
        print(f"{mutant.rule:12} {mutant.name:60} {words} ({time.process_time() - begun:.1f} s)", flush=True)
    return int(missed > 0)


if __name__ == "__main__":
    sys.exit(report(KNOWN_MUTANTS, notices))
