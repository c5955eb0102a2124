"""Programs whose threads wait in loops, with default options: executions, states, and what is said. Prints a table, or JSON.

    python benchmarks/cycles.py [--seconds 30] [--quick] [--json]

`loops`: for each program the executions and steps, those that ended at a known state, the states, the length of the replay line of a
livelock, and processor seconds of the whole run. `without_loops`: programs in which nobody waits, as they are and with `--match off`, and
how much more the first takes: executions, steps, and the least processor time of three runs each.
"""

from __future__ import annotations

import argparse
import json
import re
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
# the same with something else in it, by name
BENT = {
    **{
        f"{name} yields": (name, r"^( +)(;|continue;)$", r"\1sched_yield();")
        for name in ("correct/spin/seqlock", "correct/lockfree/peterson", "correct/lockfree/dekker", "correct/lockfree/bakery")
    },
    "correct/condition/thread_pool 3": ("correct/condition/thread_pool", r"WORKERS = 2", "WORKERS = 3"),
}
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


def bent(name: str, directory: Path) -> Path:
    origin, old, new = BENT[name]
    text, count = re.subn(old, new, (ROOT / "native_tests" / f"{origin}.c").read_text(), flags=re.MULTILINE)
    assert count, f"{origin} has nothing of what {name} changes"
    source = directory / f"{name.replace('/', '_').replace(' ', '_')}.c"
    source.write_text("#include <sched.h>\n" + text)
    return build(source, directory)


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


def table(loops: dict[str, Any], without: dict[str, Any]) -> str:
    lines = [f"{'program':34} {'executions':>10} {'steps':>8} {'known':>7} {'states':>7} {'replay':>6} {'CPU s':>6}  says"]
    for name, row in loops.items():
        numbers = f"{row['executions']:10,} {row['steps']:8,} {row['known']:7,} {row['states']:7,} {row['replay_characters'] or '':>6}"
        lines.append(f"{name:34} {numbers} {row['seconds']:6.2f}  {row['says']}")
    lines.append(f"\n{'without loops, --match off':34} {'executions':>10} {'steps':>8}  how much more by default: executions, steps, CPU")
    for name, row in without.items():
        more = ", ".join(f"{row['more'][key]:.2f}" for key in ("executions", "steps", "seconds"))
        lines.append(f"{name:34} {row['off']['executions']:10,} {row['off']['steps']:8,}  {more}")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=30.0)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    loops, without = QUICK if given.quick else (LOOPS, WITHOUT)
    with tempfile.TemporaryDirectory() as place:
        built = {source: build(source, Path(place)) for source in (SOURCE, STEPS)}
        names = () if given.quick else PROGRAMS
        rows = {name: search([str(build(ROOT / "native_tests" / f"{name}.c", Path(place)))], given.seconds) for name in names}
        for name in () if given.quick else BENT:
            rows[name] = search([str(bent(name, Path(place)))], given.seconds)
        for row in loops:
            rows[" ".join(map(str, row))] = search([str(built[SOURCE]), *map(str, row)], given.seconds)
        plain = {
            f"{name} {threads}": without_loops([str(built[source]), name, str(threads)], given.seconds, 1 if given.quick else 3)
            for source, name, threads in without
        }
    print(json.dumps({"loops": rows, "without_loops": plain}, indent=2) if given.json else table(rows, plain))


if __name__ == "__main__":
    main()
