"""Programs in Rust, by the expectations on top of each file, as for C: the standard library blocks in futexes and nowhere else.

Their uncontended paths are inline atomics that a plain binary does not show, so no pass is without a qualification.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import subprocess
from pathlib import Path

import pytest

from tests.native.compiled import CACHE, PROGRAMS
from tests.native.expectations import Program, read_program
from tests.native.tool import run_tool

pytestmark = pytest.mark.needs("rustc")
ALL = [read_program(path) for path in sorted(PROGRAMS.rglob("*.rs"))]


def compiled_rust(source: Path) -> Path:
    executable = CACHE / hashlib.sha256(source.read_bytes()).hexdigest()[:16] / source.stem
    if not executable.exists():
        executable.parent.mkdir(parents=True, exist_ok=True)
        partial = executable.with_suffix(f".{os.getpid()}")
        subprocess.run(["rustc", "-g", "--edition", "2021", "-o", partial, source], check=True, capture_output=True)
        with contextlib.suppress(FileExistsError):
            os.link(partial, executable)
        partial.unlink()
    return executable


@pytest.mark.parametrize("program", ALL, ids=lambda program: str(program.path.relative_to(PROGRAMS)))
def test_a_rust_program_behaves_as_it_says(program: Program) -> None:
    executable = compiled_rust(program.path)
    for expectation in program.expectations:
        run = run_tool(executable, program.args, [*program.options, "--bound", expectation.bound or "none"])
        assert (run.exit_code, run.report.get("verdict"), run.kinds) == (expectation.exit_code, expectation.verdict, expectation.kinds), run
        assert run.report["coverage"] == ("calls" if "--machine-code=off" in program.options else "machine")
        assert all(text in run.messages for text in program.says), run


def test_there_are_rust_programs() -> None:
    assert len(ALL) >= 3
