"""CB-POR in C with one rule bent: random programs notice each, by the oracle.

`python -m tests.property.graphs_mutants [SECONDS] [NAME ...]` is for it what engine_mutants.py is for depth-first search. A mutant is
noticed by a state that is missing or lies beyond the bound, or by complete executions that are not one for each trace.
"""

from __future__ import annotations

import random
import sys
from pathlib import Path

from bpor.errors import BporError
from bpor.search.bounds.bound import Bound
from bpor.search.bounds.grammar import parse_bound
from bpor.search.cb_por.library import LibraryGraphs
from bpor.search.options import SearchOptions
from bpor.search.strategies.cb_por import CbPor
from bpor.simulate.oracle import Oracle, TooManyPrefixes
from tests.property.engine_mutants import Mutant
from tests.property.known_mutants import report
from tests.property.named_search import run
from tests.property.random_programs import from_random
from tests.property.trial import Unfinished, oracle_bound

BOUNDS = ("none", "preemption:0", "preemption:1", "preemption:2")
SEARCH, STATES, KNOWN = "graphs/search.c", "graphs/states.c", "known.c"
MUTANTS = (
    Mutant("costs do not spread on", "costs", STATES, "            wait_to_fall(tree, &falling, at);\n", "            break;\n", 151),
    Mutant("a cheaper way leaves the mark", "marks", STATES, "graphs_within(tree, edge->target) & ~before)", "false)", 13),
    Mutant(
        "a mark is never taken back",
        "marks",
        STATES,
        "if (is_done(tree, at) == state->marked)",
        "if (is_done(tree, at) == state->marked || state->marked)",
        13,
    ),
    Mutant(
        "marks stay where they are",
        "marks",
        STATES,
        "            wait_for_mark(tree, &waiting, graph_edge(tree, edge)->origin);\n",
        "            break;\n",
        151,
    ),
    Mutant(
        "a step that was not tried is done",
        "marks",
        STATES,
        "if (!edge || !graph_state(tree, graph",
        "if (edge && !graph_state(tree, graph",
        1,
    ),
    Mutant("leaving a thread after a yield costs", "price", STATES, " && !edge->cuts;", ";", 3),
    Mutant("leaving a thread in an idle state costs", "price", STATES, " && !state->timed && ", " && ", 228),
    Mutant("leaving a thread that waits costs", "price", STATES, " && state->enabled & bit(edge->member)", "", 1),
    Mutant(
        "leaving a thread costs nothing",
        "price",
        STATES,
        "edge->cost + preempts(state, edge, member) < price)\n            price = edge->cost + preempts(state, edge, member);",
        "edge->cost < price)\n            price = edge->cost;",
        1,
    ),
    Mutant(
        "what is beyond the bound is tried", "bound", STATES, "        if (graphs_price(tree, number, member) <= bound_of(tree))\n", "", 1
    ),
    Mutant("a try that failed is never known", "looks", KNOWN, "tree->by_graphs && only_looked(tree, told)", "false", 48),
    Mutant("a timeout is never known", "timeouts", KNOWN, "(!timed || tree->by_graphs)", "!timed", 40),
    Mutant("states are not recognised before an execution", "recognise", SEARCH, "    if (target)\n", "    if (false)\n", 40),
)


def draw(seed: int) -> tuple[Oracle, Bound]:
    """The trial of a seed."""
    source = random.Random(seed)
    bound = source.choice(BOUNDS)
    sample = from_random(source, max_operations=10)
    return Oracle(sample.program, sample.semantics, max_prefixes=3_000, max_steps=120), parse_bound(bound)


def notices(library: Path | None, seed: int) -> bool | None:
    """Is the random program of this seed searched wrongly? None: it is too large."""
    oracle, bound = draw(seed)
    options = SearchOptions(engine="library", max_steps=400)
    strategy = CbPor(bound, options)
    strategy.search = LibraryGraphs(bound, options, strategy.total, library)
    try:
        truth = oracle.explore(oracle_bound(bound))
    except TooManyPrefixes:
        return None
    try:
        coverage, result = run(oracle, strategy, 2_000)
    except Unfinished:
        return None if library is None else True
    except BporError:
        return True
    exact = coverage.complete_runs == truth.traces == result.counts.distinct_traces
    return not exact or bool(coverage.lacks(truth.coverage) or truth.coverage.lacks(coverage))


if __name__ == "__main__":
    sys.exit(report(MUTANTS, notices))
