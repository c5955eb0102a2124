"""Cartesian search on real programs: states and executions where states are known by happens-before and where they are known by memory.

Prints a Markdown table; programs of native_tests that need more executions than allowed are marked with `>`.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from bpor.search.budget import Budget, SearchStop  # noqa: E402
from bpor.search.explorer import Explorer  # noqa: E402
from bpor.search.options import SearchOptions  # noqa: E402
from bpor.search.strategies.cartesian import HAPPENS_BEFORE, MEMORY, Cartesian  # noqa: E402
from bpor.target.executor import NativeExecutor  # noqa: E402

PROGRAMS = (
    ("correct/mutex/counter.c", ""),
    ("correct/mutex/counter.c", "-DTHREADS=3"),
    ("correct/mutex/counter.c", "-DTHREADS=4"),
    ("buggy/deadlock/philosophers.c", "-DN=3"),
    ("buggy/deadlock/philosophers.c", "-DN=4"),
    ("correct/condition/queue_two_consumers.c", ""),
    ("correct/condition/thread_pool.c", ""),
    ("correct/barrier/phases.c", ""),
    ("correct/semaphore/two_permits.c", ""),
    ("correct/thread/nested_create.c", ""),
    ("correct/spin/trylock_back_off.c", ""),
    ("buggy/livelock/polite.c", ""),
)


def build(name: str, flag: str, directory: Path) -> str:
    program = directory / f"{Path(name).stem}{flag}"
    subprocess.run(["cc", "-g", "-O1", "-pthread", *filter(None, [flag]), "-o", program, ROOT / "native_tests" / name], check=True)
    return str(program)


def measure(program: str, known_by: str, most: int) -> tuple[str, str]:
    """States and executions."""
    strategy = Cartesian(SearchOptions(max_steps=400), known_by)
    with NativeExecutor([program]) as executor:
        result = Explorer(executor, strategy, Budget(max_executions=most, max_findings=None)).run()
    more = "" if result.stop is SearchStop.EXHAUSTED else ">"
    cut = f", {result.counts.cut} of them cut" if result.counts.cut else ""
    return f"{more}{strategy.walk.states}", f"{more}{result.executions}{cut}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--executions", type=int, default=20_000)
    most = parser.parse_args().executions
    print("| program | states by happens-before | by memory | executions by happens-before | by memory |\n|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as directory:
        for name, flag in PROGRAMS:
            program = build(name, flag, Path(directory))
            found = [measure(program, known_by, most) for known_by in (HAPPENS_BEFORE, MEMORY)]
            states, executions = zip(*found, strict=True)
            print(f"| {' '.join(filter(None, [name, flag]))} | {' | '.join((*states, *executions))} |", flush=True)


if __name__ == "__main__":
    main()
