"""Programs whose threads wait in loops, with default options: executions, states, and what is said. Prints JSON.

    python benchmarks/cycles.py [--seconds 30] [--quick]

`loops`: for each program the executions and steps, those that ended at a known state, the states, the length of the replay line of a
livelock, and processor seconds of the whole run. `without_loops`: programs in which nobody waits, as they are and with `--match off`, and
how much more the first takes: executions, steps, and the least processor time of three runs each.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from bpor.api import check

ROOT = Path(__file__).resolve().parents[1]
COMPILER = ROOT / "bpor" / "_native" / "bpor-cc"
SOURCE = Path(__file__).with_suffix(".c")
STEPS = Path(__file__).with_name("known_steps.c")
# of native_tests
PROGRAMS = (
    *("buggy/livelock/polite", "buggy/livelock/polite_three", "buggy/livelock/flags_without_yields", "buggy/livelock/counts_retries"),
    *("buggy/livelock/philosophers_trylock", "correct/yield/poll_under_mutex", "correct/spin/seqlock", "correct/lockfree/peterson"),
    *("correct/lockfree/dekker", "correct/lockfree/bakery", "correct/condition/thread_pool"),
)
LOOPS = (
    *(("test-and-set", 3), ("test-and-set", 3, "yields"), ("test-and-set", 4), ("test-and-set", 4, "yields"), ("ticket", 3)),
    *(("ticket", 3, "yields"), ("queue", 2), ("queue", 2, "yields"), ("treiber", 3)),
)
WITHOUT = (
    *((SOURCE, "locked", 4), (SOURCE, "distinct", 3), (STEPS, "ordered-philosophers", 8), (STEPS, "lost-update", 3)),
    *((STEPS, "readers", 4), (STEPS, "computing", 3), (STEPS, "indexer", 13)),
)
QUICK = LOOPS[:1], WITHOUT[1:2]


def build(source: Path, directory: Path) -> Path:
    program = directory / source.stem
    subprocess.run([str(COMPILER), "-O1", "-g", "-pthread", str(source), "-o", str(program)], check=True)
    return program


def processor_seconds() -> float:
    own, children = resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN)
    return own.ru_utime + own.ru_stime + children.ru_utime + children.ru_stime


def search(argv: list[str], seconds: float, match: str = "auto") -> dict[str, Any]:
    before = processor_seconds()
    result = check(argv, match=match, max_time=seconds)
    found = result.search
    assert found is not None
    replay = len(str(result.findings[0].schedule)) if result.findings else None
    return {
        "executions": found.executions,
        "steps": found.counts.steps,
        "known": found.counts.matched,
        "states": max((level.states for level in found.levels), default=0),
        "replay_characters": replay,
        "seconds": round(processor_seconds() - before, 2),
        "says": result.verdict.statement.split("; coverage")[0],
    }


def without_loops(argv: list[str], seconds: float, times: int) -> dict[str, Any]:
    runs = {match: [search(argv, seconds, match) for _ in range(times)] for match in ("auto", "off")}
    auto, off = (min(runs[match], key=lambda run: run["seconds"]) for match in ("auto", "off"))
    return {"auto": auto, "off": off, "more": {key: round(auto[key] / off[key], 2) for key in ("executions", "steps", "seconds")}}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=30.0)
    parser.add_argument("--quick", action="store_true")
    given = parser.parse_args()
    loops, without = QUICK if given.quick else (LOOPS, WITHOUT)
    with tempfile.TemporaryDirectory() as place:
        built = {source: build(source, Path(place)) for source in (SOURCE, STEPS)}
        names = () if given.quick else PROGRAMS
        rows = {name: search([str(build(ROOT / "native_tests" / f"{name}.c", Path(place)))], given.seconds) for name in names}
        for row in loops:
            rows[" ".join(map(str, row))] = search([str(built[SOURCE]), *map(str, row)], given.seconds)
        plain = {
            f"{name} {threads}": without_loops([str(built[source]), name, str(threads)], given.seconds, 1 if given.quick else 3)
            for source, name, threads in without
        }
    print(json.dumps({"loops": rows, "without_loops": plain}, indent=2))


if __name__ == "__main__":
    main()
