"""The C engine that recognises states, each time without one of the rules that make it complete (errata E31 to E39, E41)."""

from __future__ import annotations

from tests.property.engine_mutants import Mutant

MUTANTS = (
    Mutant("known futures race with nothing", "E31", "futures.c", "i < summary->count; i++)", "i < 0 * summary->count; i++)", 0),
    Mutant("cycles are not expanded", "E32", "rounds.c", "    frame->cyclic = true;\n", "    return;\n", 0),
    Mutant(
        "only the head of a cycle is expanded",
        "E33",
        "rounds.c",
        "            expand(tree, i);",
        "            i == low ? expand(tree, i) : (void)(tree->frame[i].cyclic = true);",
        0,
    ),
    Mutant("nodes forget who ran last", "E34", "nodes.c", "bounds_preemption(tree) ? last : NO_THREAD", "NO_THREAD", 0),
    Mutant("entries that spent more match", "E35", "futures.c", "    if (entry->used > used)", "    if (false)", 0),
    Mutant("matches exceed nothing", "E36", "futures.c", "    frame->exceeded = entry->exceeded ||", "    frame->exceeded = false &&", 0),
    Mutant("rounds are charged", "E37", "rounds.c", "        free_rounds(tree, mark->state, step->thread);", "        ;", 0),
    Mutant("sleepers stay asleep on cycles", "E38", "rounds.c", "    frame->cyclic = true;\n", "", 0),
    Mutant("sleepers of an entry do not matter", "E39", "futures.c", "return entry->sleep == SET_EMPTY ||", "return true ||", 0),
    Mutant(
        "nodes forget yields",
        "E41",
        "matching.c",
        "        EACH_THREAD (thread, tree->live)\n            identity =",
        "        EACH_THREAD (thread, 0 * tree->live)\n            identity =",
        0,
    ),
)
