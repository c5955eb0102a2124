"""--retries=last on native programs: fewer executions, and whatever may come out still comes out.

`python -m tests.native.test_retries SECONDS [SEED]` goes on with other programs for as long as asked (make soak).
"""

from __future__ import annotations

import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.native.compiled import INSTRUMENTING, ROOT, compiled
from tests.native.tool import Run, run_inside

pytestmark = pytest.mark.needs("gcc")
Compile = Callable[..., Path]

SOURCE = Path(__file__).parent / "retrying.c"
FIXED = [("lm", "lm"), ("aa", "ca"), ("d", "hd"), ("e", "ac"), ("j", "ab")]
EVERY_OUTCOME = 12  # are looked for; of more some are drawn


def _program(*flags: str) -> Path:
    return compiled(SOURCE, list(flags), instrumented=True)


def _searched(program: Path, arguments: tuple[str, ...], *options: str) -> Run:
    return run_inside(program, arguments, ["--bound=none", "--state=none", "--memory=sc", *options])


def draw(source: random.Random) -> tuple[str, ...]:
    """A cell is pushed once: who pushes it again while it is on the stack races."""
    lengths = source.choice([(1, 2), (2, 2), (2, 3), (1, 1, 1), (1, 1, 2), (1, 2, 2)])
    drawn = ("".join(source.choice("aabccdefghijklmmnopqq") for _ in range(length)) for length in lengths)
    return tuple(way.replace("l", "m").replace("m", "l", "l" in way) for way in drawn)


def lost(program: Path, ways: tuple[str, ...], source: random.Random) -> tuple[list[str], int, int]:
    """Outcomes that are not found among the last looks; executions of all and of the last ones."""
    every = _searched(program, ways, "--outcomes")
    assert every.exit_code == 0, every
    outcomes = sorted(str(one["stdout"]).strip() for one in every.report["outcomes"])
    last = _searched(program, ways, "--retries=last")
    assert last.exit_code == 0, (ways, last)
    chosen = source.sample(outcomes, min(len(outcomes), EVERY_OUTCOME))
    missed = [one for one in chosen if _searched(program, (*ways, one), "--retries=last").exit_code != 1]
    return missed, every.report["executions"], last.report["executions"]


@pytest.mark.parametrize("ways", FIXED, ids="|".join)
def test_whatever_may_come_out_comes_out_after_the_last_looks(ways: tuple[str, ...]) -> None:
    missed, every, last = lost(_program("-O1"), ways, random.Random(0))
    assert missed == []
    assert last <= every


def test_treibers_stack_is_explored_in_a_fraction_of_the_executions_wherever_they_begin() -> None:
    treiber = compiled(ROOT / "benchmarks/peers/programs/treiber.c", ["-DTHREADS=3"], instrumented=True)
    runs = [_searched(treiber, (), "--retries=last", *options) for options in ((), ("--no-checkpoints",))]
    assert [run.exit_code for run in runs] == [0, 0]
    assert runs[0].report["executions"] == runs[1].report["executions"] < 25_680 / 6
    assert "of looks in vain the last ones only" in runs[0].report["statement"]


@pytest.mark.parametrize("order, status", [("relaxed", 1), ("seq_cst", 0)])
def test_a_race_with_a_look_in_vain_is_found_where_nothing_orders_what_follows(order: str, status: int) -> None:
    program = compiled(SOURCE.with_name("read_in_a_retry.c"), [f"-DORDER=memory_order_{order}"], instrumented=True)
    for retries in ("all", "last"):
        run = _searched(program, (), f"--retries={retries}")
        assert (run.exit_code, run.kinds) == (status, {"race"} if status else frozenset())


REFUSED = [
    *("--bound=preemption:1", "--search=optimal", "--match=memory", "--outcomes", "--symmetry=same", "--faults=malloc:1"),
    *("--workers=2", "--seal=pop", "--trust=function:pop"),
]


@pytest.mark.parametrize("option", REFUSED)
def test_what_was_not_shown_to_lose_nothing_is_refused(option: str) -> None:
    run = _searched(_program("-O1"), ("a", "a"), "--retries=last", option)
    assert run.exit_code == 2
    assert "--retries=last does not go with" in run.stderr and run.stderr.count("\n") == 1


def _by_clang(directory: Path) -> Path:
    """It tells less: of what is read and written at once the write alone."""
    program = directory / "retrying"
    command = [INSTRUMENTING["gcc"], "--bpor-compiler=clang", "-O1", "-g", "-pthread", SOURCE, "-o", program]
    subprocess.run(command, check=True)
    return program


def soak(seconds: float, seed: int, directory: Path) -> int:
    end, drawn, executions = time.monotonic() + seconds, 0, [0, 0]
    programs = [_program(flag) for flag in ("-O0", "-O1", "-O2")]
    if shutil.which("clang"):
        programs.append(_by_clang(directory))
    while time.monotonic() < end:
        source = random.Random(seed + drawn)
        ways = draw(source)
        missed, every, last = lost(source.choice(programs), ways, source)
        if missed:
            print(f"seed {seed + drawn}: {ways}: not found: {missed}")
            return 1
        drawn, executions = drawn + 1, [executions[0] + every, executions[1] + last]
    print(f"{drawn} programs, nothing lost: {executions[0]} executions with all looks, {executions[1]} with the last ones")
    return 0


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as scratch:
        status = soak(float(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 0, Path(scratch))
    sys.exit(status)
