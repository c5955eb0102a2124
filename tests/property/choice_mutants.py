"""The C engine with a rule about alternatives bent. `python -m tests.property.choice_mutants [SECONDS]`, as engine_mutants.py."""

from __future__ import annotations

import sys

from tests.property.engine_mutants import Mutant, main
from tests.property.soak_choices import draw

MUTANTS = (
    Mutant(
        "the last alternative is not tried",
        "alternatives",
        "alternatives.c",
        "frame->alternative + 1 >= frame->alternatives",
        "frame->alternative + 2 >= frame->alternatives",
        1,
    ),
    Mutant("a sleeper is watched for its last alternative", "alternatives", "sleep.c", "    watch_merge(tree, number, kept);\n", "", 19),
    Mutant(
        "a block is watched for its first execution",
        "alternatives",
        "sleep.c",
        "        reopen_block(tree, &tree->frame[frame->block]);\n",
        "        (void)reopen_block;\n",
        266,
    ),
    Mutant(
        "an alternative that must not sleep does",
        "alternatives",
        "sleep.c",
        "number == WATCH_NONE ? WATCH_NEVER : number;",
        "number;",
        32,
    ),
    Mutant(
        "the way a step went is no part of it",
        "alternatives",
        "history.c",
        "    step->hash = bpor_mix(step->hash, told->alternative);\n",
        "",
        2,
    ),
)

if __name__ == "__main__":
    sys.exit(main(MUTANTS, draw))
