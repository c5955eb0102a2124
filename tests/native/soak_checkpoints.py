"""Executions that begin at checkpoints are those that begin at the fork point: the same schedules, outcomes, hashes and counts.

`python -m tests.native.soak_checkpoints SECONDS` compares programs of native_tests, plain and instrumented, and random ones in
random order, with a checkpoint in every state that can be one.
"""

from __future__ import annotations

import random
import sys
import time
from collections.abc import Sequence

from bpor.errors import EngineUnfit, Uncontrolled
from bpor.search.options import SearchOptions
from bpor.target.options import TargetOptions
from tests.native.compiled import compiled
from tests.native.engines import BOUNDS, difference, random_scripts, run
from tests.native.expectations import Program
from tests.native.test_engine import SCRIPT
from tests.native.test_programs import ALL, name_of


def compare(argv: Sequence[str], bound: str | None, limit: int) -> str:
    """How executions differ, in words."""
    options = SearchOptions(engine="native", max_steps=500)
    try:
        off, always = (run("native", argv, bound, limit, options, TargetOptions(watchdog=5, checkpoints=how)) for how in ("off", "always"))
    except (EngineUnfit, Uncontrolled):
        return ""
    return difference(off, always)


def argv_of(program: Program, instrumented: bool) -> list[str]:
    defines = program.expectations[0].defines if program.expectations else ()
    executable = compiled(program.path, [*program.flags, *(f"-D{define}" for define in defines)], program.instrumented or instrumented)
    return [str(executable), *program.args]


def main() -> int:
    seconds, source = float(sys.argv[1]), random.Random(time.time())
    until, count = time.monotonic() + seconds, 0
    programs = [one for one in ALL if "unsupported" not in one.path.parts]
    while time.monotonic() < until:
        bound = source.choice(BOUNDS)
        if source.random() < 0.3:
            name, argv = "script", [str(compiled(SCRIPT, instrumented=source.random() < 0.5)), *random_scripts(source)]
        else:
            program = source.choice(programs)
            name = name_of(program)
            try:
                argv = argv_of(program, source.random() < 0.5)
            except AssertionError:  # some do not build so
                continue
        different = compare(argv, bound, 60)
        count += 1
        if different:
            print(f"{name} {argv} {bound}: {different}")
            return 1
    print(f"{count} programs: no difference")
    return 0


if __name__ == "__main__":
    sys.exit(main())
