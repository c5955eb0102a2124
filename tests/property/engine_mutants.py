"""The C engine with one rule bent, as libraries of their own: what does it take for the oracle to notice?

`python -m tests.property.engine_mutants [SECONDS] [NAME ...]` builds each mutant and judges it on random programs alone, until one is
searched incompletely or SECONDS (120) of processor time have passed; it prints a table and exits 1 if a mutant was not noticed. Invariant:
each mutant replaces text that occurs exactly once in its file, so an engine that changed breaks the table, never silently the test.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from bpor.errors import BporError
from bpor.search.options import SearchOptions
from bpor.simulate.oracle import Oracle, TooManyPrefixes
from tests.property.random_programs import Sample
from tests.property.soak import draw
from tests.property.trial import Found, Unfinished, compare, search, search_with

ROOT = Path(__file__).resolve().parents[2]
ENGINE = ROOT / "csrc" / "engine"
BUILD = ROOT / "build" / "mutants"
Draw = Callable[[int], tuple[Sample, str, SearchOptions]]  # the trial of a seed
COMPILE = ["gcc", "-std=gnu11", "-O1", "-fPIC", f"-I{ROOT / 'csrc'}", f"-I{ROOT}"]


@dataclass(frozen=True, slots=True)
class Mutant:
    name: str  # what is wrong, in words
    rule: str  # the erratum, or where docs/algorithm.md explains it
    file: str
    old: str
    new: str
    seed: int  # of a random program that shows it


MUTANTS = (
    Mutant(
        "a new thread has never yielded", "E30", "actors.c", "    tree->actor[thread].yields = creator->yields; /* erratum E30 */\n", "", 92
    ),
    Mutant("no conservative points", "E1", "runahead.c", "    if (block != index) /*", "    if (false && block != index) /*", 18),
    Mutant(
        "a sleeping thread is added alone",
        "E5",
        "runahead.c",
        "~frame->fair_blocked & ~rule_asleep(frame) & bit(thread)",
        "~frame->fair_blocked & bit(thread)",
        72,
    ),
    Mutant(
        "a fair-blocked thread is added alone",
        "E8",
        "runahead.c",
        "~frame->fair_blocked & ~rule_asleep(frame) & bit(thread)",
        "~rule_asleep(frame) & bit(thread)",
        1340,
    ),
    Mutant("a disabled thread is added alone", "Add", "runahead.c", "= frame->enabled & ~frame->fair", "= ~frame->fair", 3),
    Mutant("the fair bound is one lower", "fair", "runahead.c", "- least > tree->order.fair_bound", "- least >= tree->order.fair_bound", 9),
    Mutant(
        "a join that an end enables adds no point",
        "E28",
        "runahead.c",
        "    if (tree->order.fair_bound == BPOR_UNBOUNDED)\n        return;\n    EACH",
        "    return;\n    EACH",
        2064,
    ),
    Mutant(
        "leaving a thread after a yield costs",
        "E13",
        "runahead.c",
        "(step && step->flags & BPOR_FLAG_CUT) || frame->timed;",
        "frame->timed;",
        164,
    ),
    Mutant("leaving a thread in an idle state costs", "E22", "runahead.c", " || frame->timed;", ";", 3),
    Mutant(
        "leaving a fair-blocked thread costs",
        "free",
        "runahead.c",
        "        frame->free |= (frame->fair_blocked & bit(step->thread)) != 0;\n",
        "",
        2717,
    ),
    Mutant(
        "every switch costs",
        "free",
        "runahead.c",
        "return !frame->free && thread != frame->last",
        "return frame->last != NO_THREAD && thread != frame->last",
        3,
    ),
    Mutant(
        "one timeout of an idle state is enough", "E22", "tree.c", "bit(thread) | frame->timed | (everybody", "bit(thread) | (everybody", 3
    ),
    Mutant(
        "a step that ends the process is an ordinary one",
        "E21",
        "tree.c",
        "    if (step->ends_process && !(bpor_properties(history_operation(tree, step->thread)->kind) & ENDS))\n        return true;\n",
        "",
        63,
    ),
    Mutant(
        "a refusal is not told to the states above",
        "bound optimisation",
        "tree.c",
        "        frame[-1].exceeded |= frame->exceeded;\n",
        "",
        18,
    ),
    Mutant("a refusal wakes no conservative point", "bound optimisation", "tree.c", "    frame->exceeded = true;\n", "", 18),
    Mutant(
        "releases are jumped over under a bound", "E7", "tree.c", "tree->jumps = !bounded && !fair && order", "tree->jumps = order", 2594
    ),
    Mutant(
        "blocks go on after a free switch",
        "block cuts",
        "tree.c",
        "bool goes_on = thread == frame->last && !frame->free;",
        "bool goes_on = thread == frame->last;",
        135,
    ),
    Mutant(
        "sleepers watch the next step only",
        "E4",
        "tree.c",
        "tree->watches_blocks = tree->reduces && (bounded || context);",
        "tree->watches_blocks = false;",
        18,
    ),
    Mutant(
        "the mover's next operation wakes nobody",
        "WakeNext",
        "sleep.c",
        "step->touches) ||\n           (next && watch_conflicts(tree, watch, &tree->touch[next->first], next->count));",
        "step->touches);\n    (void)next;",
        33,
    ),
    Mutant("a watch ends with every step", "watch sets", "sleep.c", "if (frame->free && tree->block) {", "if (tree->block) {", 18),
    Mutant(
        "the end of a thread is no release",
        "E28",
        "sleep.c",
        "bool over = told->finished && !tree->releases_sleep;",
        "bool over = false;",
        7857,
    ),
    Mutant(
        "a timeout of an idle state sleeps",
        "E22",
        "sleep.c",
        "ends || frame->timed & bit(told->thread) || beside",
        "ends || beside",
        3,
    ),
    Mutant(
        "the end of the process sleeps",
        "E21",
        "sleep.c",
        "ends || frame->timed & bit(told->thread)",
        "frame->timed & bit(told->thread)",
        75,
    ),
    Mutant(
        "a write races with pending writes only",
        "races",
        "history.c",
        "writes(touch) ? tree->cell[near].pending_access :",
        "false ? 0 :",
        45,
    ),
    Mutant(
        "the end of the process races with nobody",
        "E21",
        "history.c",
        "    if (ends)\n        return tree->live;\n",
        "    (void)ends;\n",
        9,
    ),
    Mutant(
        "an announced end of the process races with nobody", "E21", "history.c", "uint64_t mask = tree->enders;", "uint64_t mask = 0;", 9
    ),
    Mutant(
        "reads happen before reads",
        "happens-before",
        "history.c",
        "if (writes(touch) && !reads && cell->has_reads)",
        "if (cell->has_reads)",
        26,
    ),
    Mutant("a step covers itself", "covered()", "races.c", "found[i] != index && clock_knows", "clock_knows", 11),
    Mutant(
        "writes do not depend on reads",
        "races",
        "races.c",
        "            if (writes(touch[i]))\n                take_later(latest, &mask, cell->reader, cell->readers);\n",
        "",
        18,
    ),
    Mutant(
        "the end of the process depends on nothing",
        "E21",
        "races.c",
        "        return history_last_of_others(tree, thread, found);",
        "        return 0;",
        63,
    ),
    Mutant(
        "a trylock waits",
        "release optimisation",
        "locks.c",
        "if (operation->kind != OP_MUTEX_LOCK && operation",
        "if (operation->kind != OP_MUTEX_TRYLOCK && operation->kind != OP_MUTEX_LOCK && operation",
        165,
    ),
    Mutant(
        "who waits for a timeout lets others sleep",
        "E48",
        "sleep.c",
        "return tree->waits_timed && !tree->sleeps_beside_timed;",
        "(void)tree;\n    return false;",
        11,
    ),
    Mutant(
        "a sleeper does not watch what it will wait for",
        "E60",
        "sleep.c",
        "        if (tree->watches_waits)\n            watch_wait(tree, frame);\n",
        "",
        216,
    ),
    Mutant(
        "everything is whole",
        "whole",
        "sleep.c",
        "bool whole = tree->knows_whole && !frame->partial && frame->step_sleeps;",
        "bool whole = tree->knows_whole && frame->step_sleeps;",
        28,
    ),
    Mutant(
        "timed waits let others sleep under a delta bound",
        "E62",
        "tree.c",
        "tree->sleeps_beside_timed = !fair && !delta;",
        "tree->sleeps_beside_timed = !fair;",
        105,
    ),
    Mutant(
        "a release sleeps under a delta bound",
        "E65",
        "tree.c",
        "tree->releases_sleep = !fair && !delta;",
        "tree->releases_sleep = !fair;",
        76,
    ),
    Mutant(
        "a thread sleeps beside those before it in the rotation",
        "E66",
        "runahead.c",
        "return !bounds_delta(tree) || (tree->order.fair_bound == BPOR_UNBOUNDED && passed_over(frame, thread) & bit(sleeper));",
        "(void)tree, (void)frame, (void)sleeper, (void)thread;\n    return true;",
        813,
    ),
    Mutant(
        "only releases change who is passed over",
        "E67",
        "runahead.c",
        "(bounds_delta(tree) && (fair || frame->releasers & bit(chosen)))",
        "(bounds_delta(tree) && !fair && frame->releasers & bit(chosen))",
        673,
    ),
    Mutant(
        "a forced context switch goes anywhere",
        "E68",
        "runahead.c",
        "bool context = bounds_context(tree) && chosen != frame->last;",
        "bool context = false;",
        40,
    ),
    Mutant(
        "nobody who is passed over is a point",
        "E68",
        "runahead.c",
        "want(tree, index, stays ? bit(thread) | passed_over(frame, thread) : frame->enabled, true);",
        "(void)stays;",
        52,
    ),
    Mutant(
        "local bounds are one lower",
        "local",
        "causal.c",
        "if (sums.switches > order->local_context_bound ||",
        "if (sums.switches >= order->local_context_bound ||",
        103,
    ),
    Mutant("a try is measured as a write", "local", "causal.c", "    return kind == OP_CAS ||", "    return kind == OP_COUNT ||", 277),
    Mutant(
        "who may have been blocked was preempted",
        "local",
        "causal.c",
        "        step->since = step->local;\n",
        "        step->since += 0;\n",
        1045,
    ),
    Mutant("who has yielded was preempted", "local", "causal.c", "step->since = step->local + 1;", "step->since += 0;", 1288),
)


def built(mutant: Mutant) -> Path:
    """Its library: one object differs from those of the engine as it is."""
    number = zlib.crc32(f"{mutant.file} {mutant.name}".encode())  # no two libraries of one process may have one path
    library = BUILD / f"{number}.so"
    source = (ENGINE / mutant.file).read_text()
    assert source.count(mutant.old) == 1, f"{mutant.name}: {mutant.file} has it {source.count(mutant.old)} times"
    bent = BUILD / f"{number}.c"
    BUILD.mkdir(parents=True, exist_ok=True)
    bent.write_text(source.replace(mutant.old, mutant.new))
    others = [path for path in _objects() if path != _object_of(ENGINE / mutant.file)]
    subprocess.run([*COMPILE, "-shared", str(bent), *map(str, others), "-o", str(library)], check=True)
    return library


def _object_of(source: Path) -> Path:
    return BUILD / "objects" / source.relative_to(ROOT / "csrc").with_suffix(".o")


def _objects() -> list[Path]:
    """The engine as it is, compiled once."""
    sources = [*ENGINE.rglob("*.c"), *(ROOT / "csrc" / "protocol").glob("*.c")]
    objects = []
    for source in sources:
        place = _object_of(source)
        objects.append(place)
        place.parent.mkdir(parents=True, exist_ok=True)
        if not place.exists() or place.stat().st_mtime < max(path.stat().st_mtime for path in (source, *ENGINE.rglob("*.h"))):
            partial = place.with_name(f"{place.name}.{os.getpid()}")  # several processes may be at it
            subprocess.run([*COMPILE, "-c", str(source), "-o", str(partial)], check=True)
            partial.replace(place)
    return objects


def notices(library: Path, seed: int, draw: Draw = draw) -> bool | None:
    """Is the random program of this seed searched wrongly? None: it is too large, or nothing of the C engine's.

    The oracle is asked only where the bent engine and the engine as it is differ: that is where it could notice.
    """
    sample, bound, options = draw(seed)
    options = replace(options, check_postconditions=False, engine="library", max_steps=60)
    if bound.startswith("depth"):
        return None
    oracle = Oracle(sample.program, sample.semantics, max_prefixes=6_000, max_steps=120)
    try:
        right, bent = search(oracle, bound, options, max_executions=500), search_with(oracle, bound, options, library, 3_000)
        if not differ(right, bent):
            return False
        return not compare(oracle, bound, bent).good
    except (TooManyPrefixes, Unfinished):
        return None
    except BporError:
        return True  # it noticed by itself that it went wrong


def differ(right: Found, bent: Found) -> bool:
    counted = right.result.counts.distinct_traces != bent.result.counts.distinct_traces
    return counted or bool(bent.coverage.lacks(right.coverage) or right.coverage.lacks(bent.coverage))


def hunt(mutant: Mutant, seconds: float, seed: int = 0, draw: Draw = draw) -> tuple[int | None, int]:
    """The first random program that shows it, if one does, and how many were tried."""
    library, tried, end = built(mutant), 0, time.process_time() + seconds
    while time.process_time() < end:
        seed += 1
        noticed = notices(library, seed, draw)
        tried += noticed is not None
        if noticed:
            return seed, tried
    return None, tried


def main(mutants: Sequence[Mutant] = MUTANTS, draw: Draw = draw) -> int:
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 120.0
    missed = 0
    for mutant in mutants:
        if len(sys.argv) > 2 and mutant.name not in sys.argv[2:]:
            continue
        begun = time.process_time()
        seed, tried = hunt(mutant, seconds, draw=draw)
        missed += seed is None
        words = f"NOT NOTICED by {tried} programs" if seed is None else f"program {tried}, seed {seed}"
        print(f"{mutant.rule:20} {mutant.name:52} {words} ({time.process_time() - begun:.1f} s)", flush=True)
    return int(missed > 0)


if __name__ == "__main__":
    sys.exit(main())
