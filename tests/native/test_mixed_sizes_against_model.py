"""Atomic accesses of 1 to 16 bytes that overlap in part: the native search finds exactly the traces of the oracle, for which an access
of n bytes is one of n variables at once."""

from __future__ import annotations

import random
import subprocess
from collections.abc import Generator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from bpor.protocol.ops import Op
from bpor.simulate.action import MEMORY, Action, Effect, object_id, reads, writes
from bpor.simulate.bounds import Combined, OracleBound, Unbounded
from bpor.simulate.oracle import Oracle
from bpor.simulate.program import Program, program
from bpor.simulate.world import World
from tests.native.compiled import NATIVE, ROOT
from tests.native.tool import run_inside

pytestmark = pytest.mark.needs("gcc")
PROBE = ROOT / "tests/native/probes/mixed_sizes.c"
COMPILERS = {"gcc": [], "clang": ["--bpor-compiler=clang", "-mcx16"]}
BOUNDS: dict[str, OracleBound] = {"none": Unbounded(), "preemption:1": Combined(preemption=1)}
KINDS = {"r": Op.READ, "w": Op.WRITE, "x": Op.RMW}
SEEDS = range(12)


class Bytes(Action):
    """An access of every byte of a range at once."""

    def __init__(self, word: str) -> None:
        form, size, offset = word[0], int(word[1].replace("g", "16")), int(word[2], 16)
        self.kind = KINDS[form]
        touched = [object_id(MEMORY, f"byte {byte}") for byte in range(offset, offset + size)]
        self.footprint = reads(*touched) if form == "r" else writes(*touched)

    def run(self, world: World, thread: int) -> Effect:
        return Effect(None, self.footprint)


def scripts(seed: int) -> list[str]:
    choose = random.Random(seed)

    def access() -> str:
        size = choose.choice((1, 2, 4, 8, 8, 16))
        offset = choose.randrange(0, 16, size)
        return f"{choose.choice('rwx')}{'g' if size == 16 else size}{offset:x}"

    return [" ".join(access() for _ in range(2)) for _ in range(choose.choice((2, 3)))]


def body(script: str) -> Generator[Action, Any, None]:
    for word in script.split():
        yield Bytes(word)


def simulated(seed: int) -> Program:
    return program(f"mixed sizes {seed}", [partial(body, script) for script in scripts(seed)]).with_main()


@pytest.mark.parametrize("compiler", [pytest.param(name, marks=pytest.mark.needs(name)) for name in COMPILERS])
def test_overlapping_accesses_have_the_traces_of_their_model(compiler: str, tmp_path: Path) -> None:
    probe = tmp_path / "probe"
    subprocess.run([NATIVE / "bpor-cc", *COMPILERS[compiler], "-O1", "-pthread", PROBE, "-o", probe], check=True)
    for seed in SEEDS:
        for name, bound in BOUNDS.items():
            run = run_inside(probe, scripts(seed), ["--bound", name])
            truth = Oracle(simulated(seed)).explore(bound)
            assert (run.exit_code, run.report["distinct_traces"]) == (0, truth.traces), (scripts(seed), name, run)


def test_sizes_matter_to_the_programs() -> None:
    """Some pairs overlap and some do not: with one variable for all bytes most programs would have more traces."""

    def coarse(script: str) -> Generator[Action, Any, None]:
        for word in script.split():
            yield Bytes(f"{word[0]}g0")

    exact = [Oracle(simulated(seed)).explore().traces for seed in SEEDS]
    blurred = [Oracle(program("", [partial(coarse, script) for script in scripts(seed)]).with_main()).explore().traces for seed in SEEDS]
    assert len(set(exact)) > 4
    assert sum(a < b for a, b in zip(exact, blurred, strict=True)) > len(SEEDS) // 2
