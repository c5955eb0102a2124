"""`python -m tests.native.soak_known SECONDS [SEED]`: every program of native_tests, in random order and within random bounds, with known
steps and without: the same traces, the same kinds of failures, the same claims.

Every fourth time two processes search. Searches that do not end within some thousand executions are not compared. Prints what differs,
and exits 1 if anything does.
"""

from __future__ import annotations

import random
import sys
import time
from collections import Counter
from dataclasses import replace

from bpor.errors import BporError, Contradicted
from bpor.model.trace import Outcome
from bpor.search.budget import SearchStop
from bpor.search.options import SearchOptions
from bpor.target.options import TargetOptions
from tests.native.compiled import compiled
from tests.native.engines import BOUNDS, Run, disagreement, loss, run
from tests.native.expectations import Program
from tests.native.test_programs import ALL, name_of

MOST = 3000  # executions of one search
PLAIN = SearchOptions(max_steps=1000)
KNOWN = replace(PLAIN, known_steps=True)
TARGET = TargetOptions(watchdog=5, process_state="auto")  # what turns out to be shared out of sight is not compared
CHOICES = (*BOUNDS, "preemption:0..2", "local-context:2", "local-preemption:1", None)


def kinds(found: Run) -> set[Outcome]:
    """Who uses memory that is gone may crash by it or not, in executions of one trace: the end of a frame is no operation."""
    found_kinds = {failure.trace.end.outcome for failure in found.result.failures}
    return found_kinds - {Outcome.CRASH} if Outcome.MEMORY in found_kinds else found_kinds


def compare(program: Program, bound: str | None, workers: int) -> tuple[str, int, int]:
    """What differs (empty: nothing), and the executions of both; 0: they were not compared."""
    defines = program.expectations[0].defines if program.expectations else ()
    executable = compiled(program.path, [*program.flags, *(f"-D{define}" for define in defines)], program.instrumented)
    argv = [str(executable), *program.args]
    plain = run("native", argv, bound, MOST, PLAIN, TARGET)
    if plain.result.stop is not SearchStop.EXHAUSTED:
        return "", 0, 0
    try:
        known = run("native", argv, bound, MOST, replace(KNOWN, workers=workers), TARGET)
    except Contradicted:
        return "", 0, 0  # said, and whoever asked begins anew
    found = difference(plain, known, bound, workers)
    return found, plain.result.executions, known.result.executions


def difference(plain: Run, known: Run, bound: str | None, workers: int) -> str:
    if kinds(plain) != kinds(known):
        return f"{kinds(plain)} without, {kinds(known)} with known steps"
    if kinds(plain) & {Outcome.RACE, Outcome.MEMORY}:
        return ""  # ends the execution at whichever access comes second: those are traces of no model
    if bound is None:  # takes turns by executions, so that other levels may be finished
        same = plain.result.counts.distinct_traces == known.result.counts.distinct_traces and known.result.exhausted
        return "" if same else f"{plain.result} without, {known.result} with known steps"
    return disagreement(plain, known) if workers > 1 else loss(plain, known, more=4)


def main() -> int:
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 60.0
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else random.SystemRandom().randrange(1 << 40)
    source, counts, end = random.Random(seed), Counter[str](), time.monotonic() + seconds
    while time.monotonic() < end:
        program, bound, workers = source.choice(ALL), source.choice(CHOICES), source.choice((1, 1, 1, 2))
        try:
            found, plain, known = compare(program, bound, workers)
        except BporError:  # what cannot be controlled, or not searched beside the program
            counts["unfit"] += 1
            continue
        counts["compared"] += plain > 0
        counts["executions without"] += plain
        counts["executions with"] += known
        counts["differ"] += bool(found)
        if found:
            print(f"{name_of(program)}, {bound}, {workers} processes: {found}", flush=True)
    print(f"known steps in native programs, from seed {seed}:", ", ".join(f"{name} {count:,}" for name, count in counts.items()))
    return 1 if counts["differ"] or not counts["compared"] else 0


if __name__ == "__main__":
    sys.exit(main())
