"""Programs compiled, and searches run on them."""

from __future__ import annotations

import subprocess
from pathlib import Path

from bpor.search.bounds import parse_bound
from bpor.search.comparison import Request, Row, run_one
from bpor.search.options import SearchOptions
from bpor.target.executor import NativeExecutor

ROOT = Path(__file__).resolve().parents[2]
BUILD = ROOT / "build" / "paper"
NO_OPTIONS = SearchOptions(sleep_sets=False, transitive_reduction=False, bound_optimisation=False, release_optimisation=False)


def compiled(source: Path, *flags: str) -> str:
    BUILD.mkdir(parents=True, exist_ok=True)
    program = BUILD / "-".join([source.parent.name, source.stem, *(flag.lstrip("-") for flag in flags)])
    compiler = "c++" if source.suffix == ".cpp" else "cc"
    if not program.exists() or program.stat().st_mtime < source.stat().st_mtime:
        subprocess.run([compiler, "-g", "-O1", "-pthread", *flags, "-o", str(program), str(source)], check=True)
    return str(program)


def measure(
    program: str, search: str, bound: str, seconds: float, options: SearchOptions | None = None, max_findings: int | None = None
) -> Row:
    options = options or SearchOptions(max_steps=2_000)
    request = Request((search,), parse_bound(bound), options, max_seconds=seconds, max_findings=max_findings)
    with NativeExecutor([program]) as executor:
        return run_one(executor, search, request.bound, request)
