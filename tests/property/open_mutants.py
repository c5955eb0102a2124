"""Best-first search in C with one rule bent: random programs notice each, by the oracle.

`python -m tests.property.open_mutants [SECONDS] [NAME ...]` is for it what engine_mutants.py is for depth-first search.
"""

from __future__ import annotations

import random
import sys
from pathlib import Path

from bpor.errors import BporError
from bpor.lazy_dataclass import replace
from bpor.search.best_first.library import LibraryOpen
from bpor.search.best_first.priority import parse_priorities
from bpor.search.best_first.rules import EverythingRacesNoted
from bpor.search.bounds.bound import Bound, BoundKind
from bpor.search.bounds.grammar import parse_bound
from bpor.search.bounds.rules import rule_for
from bpor.search.options import SearchOptions
from bpor.search.strategies.ladder import Ladder
from bpor.search.tally import Tally
from bpor.simulate.oracle import Oracle, TooManyPrefixes
from tests.property.engine_mutants import Mutant
from tests.property.known_mutants import report
from tests.property.named_search import run
from tests.property.random_programs import from_random
from tests.property.trial import Unfinished, oracle_bound

BOUNDS = ("none", "preemption:0", "preemption:1", "preemption:2", "fair:1", "fair:0,preemption:1", "context:2", "delta:1")
PRIORITIES = ("random", "pb,random", "dpor", "sleep,dpor,pb", "pb")
SEARCH, NODES, SLEEP, PACK, COLD = "open/search.c", "open/nodes.c", "sleep.c", "open/pack.c", "open/cold.c"
MUTANTS = (
    Mutant("who was tried later sleeps too", "sleep", SLEEP, "        if (asleep & bit(tree->watch[at].thread))\n", "", 1),
    Mutant("what was tried is forgotten", "nodes", NODES, "    node->done = frame->done;\n", "", 23),
    Mutant("a refusal is not told to the states above", "bound", SEARCH, "        frame[-1].exceeded |= frame->exceeded;\n", "", 41),
    Mutant(
        "a refusal wakes no conservative point",
        "bound",
        SEARCH,
        "(frame->exceeded ? frame->conservative : 0)",
        "(false ? frame->done : 0)",
        41,
    ),
    Mutant("a node with children goes", "nodes", SEARCH, "if (!node->open && !node->children)", "if (!node->open)", 1),
    Mutant(
        "points at the states above are not looked for",
        "settle",
        SEARCH,
        "        if (index == 0)\n",
        "        if (index + 2 < tree->frames)\n",
        1,
    ),
    Mutant("the way ends too early", "way", SEARCH, "i <= depth && !tree->full; i++)", "i < depth && !tree->full; i++)", 3),
)
ON_DISK = (
    Mutant("a state on disk forgets what its bound refused", "pack", PACK, "    node->exceeded = facts >> 1 & 1;\n", "", 95),
    Mutant(
        "... what wakes whom",
        "pack",
        PACK,
        "            watch_put(tree, number, (uint32_t)get(unpacking));\n",
        "            get(unpacking);\n",
        58,
    ),
    Mutant(
        "a bundle has one choice only",
        "cold",
        COLD,
        "            cold->next_choice[cold->last_choice[first] - 1] = i + 1;\n",
        "            cold->next_choice[cold->last_choice[first] - 1] = 0;\n",
        48,
    ),
)
# Only larger programs show these.
LARGE = (
    Mutant("nobody whom a state left aside stays there", "nodes", NODES, "    node->backtrack = frame->backtrack;\n", "", 95),
    Mutant("a refusal is forgotten", "bound", NODES, "    node->exceeded = frame->exceeded;\n", "", 95),
)


def draw(seed: int) -> tuple[Oracle, Bound, str, SearchOptions, bool]:
    """The trial of a seed: a program, a bound, priorities, options, and whether everything is tried."""
    source = random.Random(seed)
    bound, priorities, everything = source.choice(BOUNDS), source.choice(PRIORITIES), source.random() < 0.1
    if everything:
        bound = source.choice(BOUNDS[:6])
    sample = from_random(source, spinning="fair" in bound, max_operations=10)
    options = SearchOptions(
        engine="library", max_steps=400, any_order=True, known_steps=source.random() < 0.5, sleep_sets=source.random() < 0.9
    )
    oracle = Oracle(sample.program, sample.semantics, max_prefixes=4_000, max_steps=120)
    return oracle, parse_bound(bound), priorities, options, everything


def notices(library: Path | None, seed: int, room: int = 0) -> bool | None:
    """Is the random program of this seed searched wrongly? None: it is too large. `room`: states in memory, the others on disk."""
    oracle, bound, priorities, options, everything = draw(seed)
    options = replace(options, open_limit=room)
    rule = EverythingRacesNoted(bound.value(BoundKind.PREEMPTION), bound.value(BoundKind.FAIR)) if everything else rule_for(bound)
    chosen = parse_priorities(priorities, None, seed)

    def tree_for(level: Bound, rule: object, options: SearchOptions, total: Tally) -> LibraryOpen:
        return LibraryOpen(level, rule, options, total, chosen, seed, library)  # type: ignore[arg-type]

    try:
        truth = oracle.explore(oracle_bound(bound))
    except TooManyPrefixes:
        return None
    try:
        coverage, _ = run(oracle, Ladder([bound], lambda level: rule, options, tree_for), 3_000)
    except Unfinished:
        return None if library is None else True
    except BporError:
        return True
    return bool(coverage.lacks(truth.coverage) or truth.coverage.lacks(coverage))


if __name__ == "__main__":
    sys.exit(report((*MUTANTS, *LARGE), notices) | report(ON_DISK, lambda library, seed: notices(library, seed, room=16)))
