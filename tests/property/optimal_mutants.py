"""Optimal search in C with one rule bent: random programs notice each, by the oracle.

`python -m tests.property.optimal_mutants [SECONDS] [NAME ...]` is for it what engine_mutants.py is for the bounded search.
"""

from __future__ import annotations

import random
import sys
import time
from pathlib import Path

from bpor.errors import BporError
from bpor.search.optimal.library import LibraryWakeups
from bpor.search.optimal.order import ORDERS
from bpor.search.options import SearchOptions
from bpor.search.strategies.optimal import Optimal
from bpor.search.tally import Tally
from bpor.simulate.bounds import Unbounded
from bpor.simulate.oracle import Oracle, TooManyPrefixes
from tests.property.engine_mutants import Mutant, built
from tests.property.exact_space import without_idle_timeouts
from tests.property.named_search import run
from tests.property.random_programs import Sample, from_random
from tests.property.trial import Unfinished

OPTIONS = SearchOptions(engine="library", max_steps=400)
RACES, REACH, WAKEUP, NODE = "optimal/races.c", "optimal/reach.c", "optimal/wakeup.c", "optimal/node.c"
MUTANTS = (
    Mutant(
        "what needs a dropped step is kept", "notdep", RACES, "(step < each && clock_knows(tree, &tree->clock[each], step))", "false", 1
    ),
    Mutant(
        "a step that cannot be reversed hides those before it",
        "locks",
        RACES,
        "            optimal->passed[passed++] = index;",
        "            break;",
        5,
    ),
    Mutant(
        "what never ran has no races",
        "pending",
        RACES,
        "optimal->looking < tree->depth + THREADS &&",
        "optimal->looking < tree->depth &&",
        2,
    ),
    Mutant(
        "a reversed step does what it did",
        "E12",
        RACES,
        "        if (!is_kept(tree, step, dropped))\n            return false;\n    return true;",
        "        if (!is_kept(tree, step, dropped))\n            return true;\n    return true;",
        9,
    ),
    Mutant("a try does what it announces", "tries", REACH, "    if (is_certain(operation->kind))\n", "    if (true)\n", 9),
    Mutant("everybody was enabled", "enabled", REACH, "return optimal->node[state].enabled &", "return UINT64_MAX &", 2),
    Mutant(
        "a question does not look at the past of its thread",
        "question",
        "optimal/answers.c",
        "second->since ? tree->step[second->since - 1].hash : 0",
        "0",
        233,
    ),
    Mutant(
        "a question does not look at what was done to its objects",
        "question",
        "optimal/answers.c",
        "        key = bpor_mix(key, sum);\n",
        "",
        9,
    ),
    Mutant("who sleeps is not woken", "sleep", NODE, "    if (!item_depends(optimal, tree, &asleep[thread], item))\n", "", 1),
    Mutant(
        "nothing is covered",
        "covers",
        NODE,
        "is_weak_initial(optimal, tree, &optimal->branch[at].item, beginning, all, beginning->count))\n            return true;",
        "is_weak_initial(optimal, tree, &optimal->branch[at].item, beginning, all, beginning->count))\n            return false;",
        65,
    ),
    Mutant(
        "a step may begin what depends on it",
        "initials",
        WAKEUP,
        "            if (item_depends(optimal, tree, item, &beginning->item[left[i]]))\n                return false;",
        "",
        5,
    ),
    Mutant(
        "the second step may come at once",
        "initials",
        WAKEUP,
        "           item_depends(optimal, tree, one, other);\n}",
        "           false;\n}",
        4,
    ),
    Mutant("threads are what the runtime calls them", "crew", "optimal/crew.c", "    return same;", "    return same || true;", 120),
)
# What random programs are too rarely made of: a program by hand shows it, in some order.
BY_HAND = (
    (
        "Wy; Ry; assert | Wy | Wx",
        "dfs",
        Mutant(
            "the end of the process is not wanted again",
            "end",
            RACES,
            "return dropped->count == 1 &&",
            "return false && dropped->count == 1 &&",
            0,
        ),
    ),
    (
        "rdlock | rdlock | wrlock",
        "dfs",
        Mutant(
            "nobody keeps a thread waiting beside another",
            "readers",
            RACES,
            "if (!gives_back(kind) &&",
            "if (false && !gives_back(kind) &&",
            0,
        ),
    ),
    (
        "exit | unlock o | Ry | Rx",
        "bit-reversal",
        Mutant("steps that are not known sleep", "orders", NODE, "older->item.foreseen && older->rank", "older->rank", 0),
    ),
)


def drawn(seed: int) -> Sample | None:
    """None: it has timeouts of idle states, which the search in C does not know."""
    sample = from_random(random.Random(seed), max_operations=8)
    return sample if without_idle_timeouts(sample) else None


def notices(library: Path | None, seed: int) -> bool | None:
    """Is the random program of this seed searched wrongly? None: it is too large, or not for this search."""
    sample = drawn(seed)
    if sample is None:
        return None
    oracle = Oracle(sample.program, sample.semantics, max_prefixes=2_000, max_steps=100)
    return is_wrong(oracle, list(ORDERS)[seed % len(ORDERS)], library)


def is_wrong(oracle: Oracle, order: str, library: Path | None) -> bool | None:
    strategy = Optimal(OPTIONS, order)
    strategy.search = LibraryWakeups(OPTIONS, Tally(OPTIONS.distinct_cap), list(ORDERS).index(order), library)
    try:
        truth = oracle.explore(Unbounded())
        coverage, result = run(oracle, strategy, 2_000)
    except (TooManyPrefixes, Unfinished):
        return None
    except BporError:
        return True  # it noticed by itself that it went wrong
    counts = result.counts
    exact = order != "dfs" or (counts.redundant == 0 and counts.complete == truth.traces)
    return not exact or bool(coverage.lacks(truth.coverage)) or counts.distinct_traces != truth.traces


def hunt(mutant: Mutant, seconds: float) -> int | None:
    library, seed, begun = built(mutant), 0, time.process_time()
    while time.process_time() < begun + seconds:
        seed += 1
        if notices(library, seed):
            return seed
    return None


def main() -> int:
    seconds, names, missed = float(sys.argv[1]) if len(sys.argv) > 1 else 120.0, sys.argv[2:], 0
    for mutant in MUTANTS:
        if names and mutant.name not in names:
            continue
        begun, seed = time.process_time(), hunt(mutant, seconds)
        missed += seed is None
        words = "NOT NOTICED" if seed is None else f"seed {seed}"
        print(f"{mutant.rule:12} {mutant.name:60} {words} ({time.process_time() - begun:.1f} s)", flush=True)
    return int(missed > 0)


if __name__ == "__main__":
    sys.exit(main())
