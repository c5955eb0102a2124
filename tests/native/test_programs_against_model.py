"""Random C programs against the exact oracle of the same simulated program: traces and deadlocks must be equal, whatever the search.

`python -m tests.native.test_programs_against_model SECONDS [SEED]` goes on with other programs for as long as asked (make soak).
"""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path

import pytest

import bpor
from bpor.simulate.bounds import Combined
from bpor.simulate.notation import parse
from bpor.simulate.oracle import Oracle
from bpor.simulate.program import Program, Semantics
from tests.native.compiled import compiled
from tests.native.random_c import Sentence, c_source, text_of

pytestmark = pytest.mark.needs("gcc")

SEEDS = range(16)
BOUNDS: tuple[int | None, ...] = (None, 0, 1)
RANDOM_EXECUTIONS = 150
MOST_TRACES = 2000  # a larger program says nothing more and takes minutes


def build(seed: int, directory: Path) -> tuple[Program, str]:
    """The model of a program and the path of its executable. In every fourth one the main thread leaves."""
    threads, leaves = Sentence(seed).threads(), seed % 4 == 3
    source = directory / f"program{seed}.c"
    source.write_text(c_source(threads, leaves))
    model = parse(text_of(threads))
    return model.with_main(leaves) if leaves else model, str(compiled(source, ["-Wno-unused-variable"]))


def differences(seed: int, timeouts: str, directory: Path) -> list[str]:
    """Between the tool and the oracle, on one program."""
    model, program = build(seed, directory)
    semantics = Semantics(explore_timeouts=timeouts == "explore")
    everything = Oracle(model, semantics).explore(None)
    if everything.traces > MOST_TRACES:
        return []
    found = [difference for bound in BOUNDS if (difference := _difference(model, program, bound, timeouts, semantics))]
    sample = bpor.check(
        [program], search="random", max_executions=RANDOM_EXECUTIONS, seed=seed, timeouts=timeouts, keep_going=True, state="none"
    )
    assert sample.search is not None
    if sample.findings and not everything.deadlocks:
        found.append(f"{model.name}: a random execution deadlocks, the model never does")
    if sample.search.counts.distinct_traces > everything.traces:
        found.append(f"{model.name}: random executions have more traces than the model")
    return found


def _difference(model: Program, program: str, bound: int | None, timeouts: str, semantics: Semantics) -> str:
    truth = Oracle(model, semantics).explore(None if bound is None else Combined(bound))
    name = "none" if bound is None else f"preemption:{bound}"
    result = bpor.check([program], bound=name, timeouts=timeouts, keep_going=True, state="none")
    assert result.search is not None, result.verdict
    got = result.search.counts.distinct_traces, {finding.kind.value for finding in result.findings}
    wanted = truth.traces, {"deadlock"} if truth.deadlocks else set()
    return "" if got == wanted else f"{model.name} at {name}, timeouts {timeouts}: got {got}, the model has {wanted}"


@pytest.mark.parametrize("timeouts", ["idle", "explore"])
@pytest.mark.parametrize("seed", SEEDS)
def test_a_random_program_has_the_traces_and_deadlocks_that_its_model_has(seed: int, timeouts: str, tmp_path: Path) -> None:
    assert differences(seed, timeouts, tmp_path) == []


def main(seconds: float, seed: int) -> int:
    tried, found, deadline = 0, [], time.monotonic() + seconds
    with tempfile.TemporaryDirectory() as directory:
        while time.monotonic() < deadline:
            for timeouts in ("idle", "explore"):
                found += differences(seed, timeouts, Path(directory))
            tried, seed = tried + 1, seed + 1
    print(f"{tried} random C programs compared with their models, {len(found)} differences", *found, sep="\n")
    return bool(found)


if __name__ == "__main__":
    sys.exit(main(float(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else int(time.time())))
