"""OpenMP in plain binaries: gcc's libgomp and LLVM's libomp wait by instructions and bare futex calls, which their machine code tells.

Loops and critical sections of gcc are in native_tests. `python -m tests.native.test_openmp` tries every construct with both libraries
(make soak).
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from itertools import product
from pathlib import Path

import pytest

from tests.native.tool import Run, run_inside

SOURCE = Path(__file__).parent / "openmp.c"
KINDS = {"loop": 1, "critical": 2, "atomic": 3, "barrier": 4, "tasks": 5}
LIBRARIES = {"gcc": "libgomp.so.1", "clang": "libomp.so.5"}
UNFINISHED = ("clang", "tasks", False)  # docs/atomics.md says what stands in the way


def search(directory: Path, compiler: str, kind: str, wrong: bool, bound: str, *options: str) -> Run:
    program = directory / f"{compiler}_{kind}_{wrong}"
    words = [compiler, "-O1", "-g", "-fopenmp", f"-DKIND={KINDS[kind]}", f"-DWRONG={int(wrong)}", SOURCE, "-o", program]
    made = subprocess.run(words, capture_output=True, text=True)
    if "omp" in made.stderr:
        pytest.skip("needs libomp-dev")
    assert made.returncode == 0, made.stderr
    return run_inside(program, [], ["--bound", bound, "--fork-at", "first-thread", *options])


def check(directory: Path, compiler: str, kind: str, wrong: bool, bound: str) -> str:
    """What is not as it should be; empty: nothing."""
    run = search(directory, compiler, kind, wrong, bound)
    seen = run.report["coverage"] == "machine" and LIBRARIES[compiler] in run.report["statement"]
    return (
        "" if seen and run.exit_code == int(wrong) and run.kinds == ({"exit"} if wrong else set()) else f"{compiler} {kind} {wrong}: {run}"
    )


def check_unfinished(directory: Path) -> str:
    """What was not searched to its end is no pass, and says so."""
    run = search(directory, *UNFINISHED, "fair:1,preemption:0", "--max-executions", "20")
    said = "inconclusive: no bound was completed; stopped by --max-executions 20; coverage machine"
    return "" if run.exit_code == 3 and not run.kinds and said in run.stdout else f"{UNFINISHED}: {run}"


@pytest.mark.needs("clang")
def test_a_search_that_does_not_end_is_no_pass(tmp_path: Path) -> None:
    assert not check_unfinished(tmp_path)


@pytest.mark.needs("gcc")
@pytest.mark.parametrize("kind", ["barrier", "tasks"])
@pytest.mark.parametrize("wrong", [False, True], ids=["right", "wrong"])
def test_gccs_openmp(tmp_path: Path, kind: str, wrong: bool) -> None:
    assert not check(tmp_path, "gcc", kind, wrong, f"fair:1,preemption:{int(wrong)}")


@pytest.mark.needs("clang")
@pytest.mark.parametrize(("kind", "wrong", "preemptions"), [("loop", False, 0), ("tasks", True, 0)])
def test_llvms_openmp(tmp_path: Path, kind: str, wrong: bool, preemptions: int) -> None:
    assert not check(tmp_path, "clang", kind, wrong, f"fair:1,preemption:{preemptions}")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as place:
        wanted = [each for each in product(LIBRARIES, KINDS, (False, True)) if each != UNFINISHED]
        found = [check(Path(place), one, kind, bad, f"fair:1,preemption:{int(bad)}") for one, kind, bad in wanted]
        found.append(check_unfinished(Path(place)))
    said = f"OpenMP: {len(wanted)} programs of two libraries, right and wrong told apart; one is inconclusive"
    print("\n".join([each for each in found if each] or [said]))
    sys.exit(any(found))
