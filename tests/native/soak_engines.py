"""`python -m tests.native.soak_engines SECONDS [SEED]`: random programs in both engines, execution by execution, until time is up.

Each program is searched in several ways by both engines in the same process, so that little time goes into starting processes; then once
by a crew of two or three, which must reach the same traces. Prints how many executions agreed; the first difference ends it, with what to
paste.
"""

from __future__ import annotations

import random
import sys
import time
from dataclasses import replace
from pathlib import Path

from bpor.search.budget import SearchStop
from bpor.search.options import SearchOptions
from bpor.target.options import TargetOptions
from tests.native.compiled import compiled
from tests.native.engines import BOUNDS, Recording, Run, difference, disagreement, loss, random_scripts, run, run_on

MOST = 5000  # executions of one search
SHORTEST, LONGEST = 2, 7  # operations of one thread
TELL_EVERY = 60.0  # seconds


def random_options(source: random.Random) -> SearchOptions:
    return SearchOptions(
        max_steps=300,
        sleep_sets=source.random() < 0.95,
        transitive_reduction=source.random() < 0.9,
        bound_optimisation=source.random() < 0.9,
        release_optimisation=source.random() < 0.9,
    )


def compare(source: random.Random, argv: list[str], target: TargetOptions) -> tuple[int, str]:
    """One program within every bound: how many executions were compared, and what differs."""
    compared = 0
    small: tuple[str, Run, SearchOptions] | None = None
    with Recording(argv, target) as executor:
        for bound in (*BOUNDS, None):
            options = random_options(source)
            python = run_on(executor, "python", bound, MOST, options)
            found = difference(python, run_on(executor, "native", bound, MOST, options))
            if found:
                return compared, f"{bound}, {options}: {found}"
            compared += len(python.executions)
            # The default search takes turns by executions; an assertion of script.c looks at a plain variable that others write.
            if python.result.stop is SearchStop.EXHAUSTED and bound is not None and not any("x" in script for script in argv[1:]):
                found = loss(python, run_on(executor, "native", bound, MOST, replace(options, known_steps=True)))
                if found:
                    return compared, f"{bound}, {options}: {found}"
            if bound is not None and python.result.stop is SearchStop.EXHAUSTED:
                small = bound, python, options
    if small is not None:
        bound, python, options = small
        workers = source.choice((2, 3))
        found = disagreement(python, run("native", argv, bound, 10 * MOST, replace(options, workers=workers), target))
        return compared, found and f"{bound}, {options}, {workers} workers: {found}"
    return compared, ""


def main() -> int:
    seconds, seed = float(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else time.time_ns()
    source, executions, programs, begun = random.Random(seed), 0, 0, time.monotonic()
    script, due = str(compiled(Path(__file__).with_name("script.c"))), begun + TELL_EVERY
    while time.monotonic() < begun + seconds:
        argv = [script, *random_scripts(source, SHORTEST, LONGEST)]
        target = TargetOptions(timeouts=source.choice(("idle", "explore")), signal=source.choice(("any", "fifo")))
        compared, found = compare(source, argv, target)
        executions += compared
        programs += 1
        if found:
            print(f"seed {seed}: {argv[1:]}, {target}: {found}")
            return 1
        if time.monotonic() > due:
            print(f"{executions} executions of {programs} random programs agree so far", flush=True)
            due = time.monotonic() + TELL_EVERY
    print(f"{executions} executions of {programs} random programs agree (seed {seed})")
    return 0


if __name__ == "__main__":
    sys.exit(main())
