"""`python -m tests.native.soak_engines SECONDS [SEED]`: random programs in both engines, execution by execution, until time is up.

Prints how many executions agreed; the first difference ends it, with what to paste.
"""

from __future__ import annotations

import random
import sys
import time
from pathlib import Path

from bpor.search.options import SearchOptions
from bpor.target.options import TargetOptions
from tests.native.compiled import compiled
from tests.native.engines import BOUNDS, difference, random_scripts, run

MOST = 3000  # executions of one program


def main() -> int:
    seconds, seed = float(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else time.time_ns()
    source, executions, programs, until = random.Random(seed), 0, 0, time.monotonic() + seconds
    script = str(compiled(Path(__file__).with_name("script.c")))
    while time.monotonic() < until:
        argv = [script, *random_scripts(source)]
        bound = source.choice((*BOUNDS, None))
        options = SearchOptions(
            max_steps=300,
            sleep_sets=source.random() < 0.9,
            transitive_reduction=source.random() < 0.9,
            bound_optimisation=source.random() < 0.9,
            release_optimisation=source.random() < 0.9,
        )
        target = TargetOptions(timeouts=source.choice(("idle", "explore")), signal=source.choice(("any", "fifo")))
        python = run("python", argv, bound, MOST, options, target)
        found = difference(python, run("native", argv, bound, MOST, options, target))
        executions += len(python.executions)
        programs += 1
        if found:
            print(f"seed {seed}: {argv[1:]} within {bound}, {options}, {target}: {found}")
            return 1
    print(f"{executions} executions of {programs} random programs agree (seed {seed})")
    return 0


if __name__ == "__main__":
    sys.exit(main())
