"""The C engine with one rule of known steps bent: random programs searched with the table notice each.

`python -m tests.property.known_mutants [SECONDS] [NAME ...]` is for them what engine_mutants.py is for the search without a table.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

from tests.property.engine_mutants import Mutant, built
from tests.property.soak_known_steps import attempt

KNOWN_MUTANTS = (
    Mutant(
        "a whole trace of known steps is not executed",
        "E45",
        "walk.c",
        "return known_has_key(known->trace, ",
        "return true || known_has_key(known->trace, ",
        0,
    ),
    Mutant("who read what a step writes is not in its past", "E42", "history.c", "!may_only_look(operation->kind));", "false);", 0),
    Mutant(
        "a crash is known by the past of its thread",
        "E21",
        "known.c",
        "key = bpor_mix(key, tree_trace_hash(tree) | 1);",
        "key = bpor_mix(key, 1);",
        0,
    ),
    Mutant(
        "states beside timed waits are known under a fair bound",
        "E48",
        "walk.c",
        "(!tree->waits_timed && !rule_blocks_somebody(tree, *ready))",
        "true",
        0,
    ),
    Mutant("a mutex is anybody's", "question", "question.c", "own ? 2 + holding.holds : holding.holder != 0", "holding.holder != 0", 0),
    Mutant("a thread that has ended is not told", "question", "question.c", "view->ended(view, operation->target)) | 2", "0) | 2", 0),
    Mutant("a join is told by a number", "names", "known_words.c", "operation->kind == OP_JOIN;", "operation->kind == OP_COUNT;", 0),
    Mutant("the unbounded search is never given up", "leader", "known.c", "tree->led |= tree->leads &&", "tree->led |= false &&", 0),
    Mutant("an execution outside of the bound counts", "leader", "known.c", "return tree->leads && cost >", "return false && cost >", 0),
    Mutant("timeouts are walked", "E22", "walk.c", "if (frame->timed || tree->depth", "if (tree->depth", 0),
    Mutant("a stranded run is a whole trace", "stranded", "known.c", "stranded ? bpor_mix(tree_trace_hash(tree), 1) : ", "", 416),
)


def notices(library: Path, seed: int) -> bool | None:
    """Is something lost in the random program of this seed? None: it is too large."""
    trial = attempt(seed, library)
    return None if trial is None else bool(trial.lost)


def main() -> int:
    seconds, names, missed = float(sys.argv[1]) if len(sys.argv) > 1 else 120.0, sys.argv[2:], 0
    for mutant in KNOWN_MUTANTS:
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
    sys.exit(main())
