"""Cartesian search in C with one rule bent: random programs notice each, by all their states.

`python -m tests.property.cartesian_mutants [SECONDS] [NAME ...]` is for it what engine_mutants.py is for depth-first search.
"""

from __future__ import annotations

import random
import sys
from pathlib import Path

from bpor.errors import BporError
from bpor.search.options import SearchOptions
from bpor.simulate.oracle import Oracle, TooManyPrefixes
from tests.property.engine_mutants import Mutant
from tests.property.exact_space import unreached_by_executions, without_idle_timeouts
from tests.property.known_mutants import report
from tests.property.named_search import cartesian_misses
from tests.property.random_programs import from_random
from tests.property.trial import Unfinished

SEARCH, SOLO, VECTOR, WAITING = (f"cartesian/{name}.c" for name in ("search", "solo", "vector", "waiting"))
MUTANTS = (
    Mutant(
        "what lies in the midst stops nobody",
        "vector",
        VECTOR,
        "bool stops = conflicts_with_midst(vector, thread, move);",
        "bool stops = false;",
        1,
    ),
    Mutant("last operations never conflict", "vector", VECTOR, "            meets |= bit(other);\n", "            meets |= 0;\n", 2),
    Mutant(
        "who conflicts goes on",
        "vector",
        VECTOR,
        "vector->growing[each].frozen = vector->growing[each].conflicts = true;",
        "vector->growing[each].conflicts = true;",
        2,
    ),
    Mutant(
        "reads in the midst are not seen",
        "vector",
        VECTOR,
        "writes(touch) ? cartesian->midst_any[near]",
        "writes(touch) ? cartesian->midst_write[near]",
        31,
    ),
    Mutant("nobody looks beyond a creation", "vector", VECTOR, "at_end || move->creates || move->ends;", "at_end || move->ends;", 11),
    Mutant("the states after ends are not looked at", "E17", SEARCH, "    if (together)\n", "    if (false)\n", 100),
    Mutant("who waits stops nobody", "solo", SOLO, "            .touches = operation->count,\n", "            .touches = 0,\n", 28),
    Mutant("circles are not recognised", "solo", SOLO, "    return cartesian->circles;\n", "    return cartesian->circles = false;\n", 60),
    Mutant(
        "every state is covered",
        "states",
        WAITING,
        "    return identity_is_known(state) && tree->",
        "    return identity_is_known(state) || tree->",
        1,
    ),
)

# Only runs that are longer than the first reach show this.
LONG = Mutant(
    "a run that is cut is over",
    "solo",
    SOLO,
    "    } else if (cut && cartesian_most_steps(tree) < tree->order.max_steps) {\n        return false;\n",
    "",
    1,
)


def notices(library: Path | None, seed: int) -> bool | None:
    """Is the random program of this seed searched wrongly? None: it is too large."""
    source = random.Random(seed)
    by_memory = source.random() < 0.5
    sample = from_random(source, spinning=by_memory, max_operations=10)
    if not without_idle_timeouts(sample):
        return None
    options = SearchOptions(engine="library", max_steps=400)
    try:
        if by_memory:
            return unreached_by_executions(sample.program, sample.semantics, "library", library) > 0
        return cartesian_misses(Oracle(sample.program, sample.semantics, max_prefixes=3_000, max_steps=100), options, library)
    except (TooManyPrefixes, Unfinished):
        return None
    except AssertionError:  # a loop was not seen to come back
        return True
    except BporError:
        return True


if __name__ == "__main__":
    sys.exit(report(MUTANTS, notices))
