"""Programs compiled, and searches run on them."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

from bpor.model.plan import Plan
from bpor.search.bounds import parse_bound
from bpor.search.comparison import Request, Row, run_one
from bpor.search.options import SearchOptions
from bpor.target.executor import NativeExecutor
from bpor.target.exploring import ExploringExecutor

ROOT = Path(__file__).resolve().parents[2]
HERE = Path(__file__).resolve().parent / "programs"
BUILD = ROOT / "build" / "paper"
MAX_STEPS = 2_000
OPTIONS = SearchOptions(max_steps=MAX_STEPS)
NO_OPTIONS = SearchOptions(
    sleep_sets=False, transitive_reduction=False, bound_optimisation=False, release_optimisation=False, max_steps=MAX_STEPS
)


def compiled(source: Path, *flags: str, instrumented: bool = False) -> str:
    """`instrumented`: its atomic accesses are operations."""
    BUILD.mkdir(parents=True, exist_ok=True)
    program = BUILD / "-".join([source.parent.name, source.stem, *(flag.lstrip("-") for flag in flags)])
    tool = [str(Path(sys.executable).parent / "bpor-native")] if instrumented else []
    if not program.exists() or program.stat().st_mtime < source.stat().st_mtime:
        subprocess.run([*tool, "cc", "-g", "-O1", "-pthread", *flags, "-o", str(program), str(source)], check=True)
    return str(program)


def measure(
    program: str,
    search: str,
    bound: str,
    most: int,
    options: SearchOptions = OPTIONS,
    max_findings: int | None = None,
    seed: int = 0,
) -> Row:
    """`most`: executions. A limit of time would give other counts on every machine."""
    request = Request((search,), parse_bound(bound), options, seed, max_executions=most, max_findings=max_findings)
    with NativeExecutor([program]) as executor:
        return run_one(executor, search, request.bound, request)


def measure_beside(program: str, search: str, bound: str, most: int) -> Row:
    """Likewise beside the program, in C."""
    request = Request((search,), parse_bound(bound), replace(OPTIONS, engine="native"), max_executions=most, max_findings=None)
    with ExploringExecutor([program]) as executor:
        return run_one(executor, search, request.bound, request)


def first_execution(program: str) -> tuple[int, int]:
    """Its steps, and the threads that made them."""
    with NativeExecutor([program]) as executor:
        trace = executor.run(Plan(max_steps=MAX_STEPS))
    return len(trace.steps), len({step.thread for step in trace.steps})
