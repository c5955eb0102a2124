"""`python -m tests.native.referee SECONDS [SEED] [--without FAMILY]...`: random programs in every mode, until time is up.

Prints how many programs were tried and how many of them differed; each that did is made as small as it can be and printed with the
argument list that shows it.
"""

from __future__ import annotations

import argparse
import random
import sys
import time

from tests.native.referee.judge import difference
from tests.native.referee.player import families
from tests.native.referee.programs import random_program
from tests.native.referee.shrink import shrink

TELL_EVERY = 60.0  # seconds


def main() -> int:
    arguments = argparse.ArgumentParser(prog="referee", description="random programs in every mode")
    arguments.add_argument("seconds", type=float)
    arguments.add_argument("seed", type=int, nargs="?", default=time.time_ns())
    arguments.add_argument("--without", action="append", default=[], choices=sorted(families()))
    given = arguments.parse_args()
    programs = differing = 0
    begun = time.monotonic()
    due = begun + TELL_EVERY
    while time.monotonic() < begun + given.seconds:
        seed = given.seed + programs
        program = random_program(random.Random(seed), given.without)
        programs += 1
        if how := difference(program):
            differing += 1
            small, again = shrink(program, difference)
            print(f"seed {seed}: {small}\n  {again or f'only sometimes: {how}'}", flush=True)
        if time.monotonic() > due:
            print(f"{programs} programs so far, {differing} differ", flush=True)
            due = time.monotonic() + TELL_EVERY
    print(f"{programs} random programs in every mode, {differing} differ (seed {given.seed})")
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main())
