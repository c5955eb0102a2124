"""Random C programs with open inputs, assumptions and calls that fail, against the exact oracle of the same simulated program.

`python -m tests.native.test_choices_against_model SECONDS [SEED]` goes on with other programs for as long as asked (make soak).
"""

from __future__ import annotations

import random
import sys
import tempfile
import time
from pathlib import Path

import pytest

import bpor
from bpor.model.trace import Outcome
from bpor.simulate.bounds import Combined
from bpor.simulate.notation import parse
from bpor.simulate.oracle import Oracle, TooManyPrefixes
from bpor.simulate.program import Semantics
from tests.native.compiled import ROOT, compiled
from tests.native.random_c import Sentence, c_source, text_of

pytestmark = pytest.mark.needs("gcc")

SEEDS = range(5)
BOUNDS: tuple[int | None, ...] = (None, 0, 1)
FAULTS = "malloc:1,eintr:1"
MOST_TRACES = 1000
_INTERRUPTED = ("sem_wait", "sem_timedwait", "sleep")
# By its name: the words of the simulated program, and the C. There `last` is 0 where a simulated thread observed something true.
_WORDS = {
    "input": (["choose 2"], "last = !bpor_choose(2);"),
    "inputs": (["choose 3"], "last = !bpor_choose(3);"),
    "assumed": (["choose 2", "assume"], "last = !bpor_choose(2); bpor_assume(last == 0);"),
    "allocated": (["fault"], "{ void *volatile block = malloc(8); last = block != NULL; }"),
    "locked": (["choose 2", "if lock n", "if unlock n"], "last = !bpor_choose(2); if (last == 0) { LOCK }"),
    "recovered": (
        ["fault", "if lock n", "if unlock n"],
        "{ void *volatile block = malloc(8); last = block != NULL; } if (last == 0) { LOCK }",
    ),
}
_LOCK = "pthread_spin_lock(&n); pthread_spin_unlock(&n);"
_INCLUDE = "#include <bpor.h>\n#include <stdlib.h>\n"


def draw(seed: int) -> list[list[str]]:
    source = random.Random(seed)
    threads = Sentence(seed).threads()[:2]
    for _ in range(source.randint(1, 2)):
        thread = source.choice(threads)
        starts = [at for at in range(len(thread) + 1) if at == len(thread) or not thread[at].startswith("if ")]
        thread.insert(source.choice(starts), source.choice(list(_WORDS)))
    return threads


def model_text(threads: list[list[str]]) -> str:
    return text_of([[each for word in thread for each in _modelled(word)] for thread in threads])


def _modelled(word: str) -> list[str]:
    if word in _WORDS:
        return _WORDS[word][0]
    interrupted = word.split()[0] in _INTERRUPTED
    return ["fault eintr", f"unless {word}"] if interrupted else [word]


def differences(seed: int, directory: Path) -> list[str]:
    """Between the tool and the oracle, on one program."""
    threads = draw(seed)
    source = directory / f"choices{seed}.c"
    own = {word: code.replace("LOCK", _LOCK) for word, (_, code) in _WORDS.items()}
    source.write_text(_INCLUDE + c_source(threads, own=own))
    program = str(compiled(source, ["-Wno-unused-variable", "-Wno-unused-result", f"-I{ROOT / 'bpor' / 'include'}"]))
    oracle, found = Oracle(parse(model_text(threads)), Semantics(faults=1), max_prefixes=40_000), []
    for bound in BOUNDS:
        try:
            truth = oracle.explore(None if bound is None else Combined(bound))
        except TooManyPrefixes:
            return []
        if truth.traces > MOST_TRACES:
            return []
        name = "none" if bound is None else f"preemption:{bound}"
        result = bpor.check([program], bound=name, faults=FAULTS, keep_going=True, state="none")
        assert result.search is not None, result.verdict
        counts = result.search.counts
        got = counts.distinct_traces, {finding.kind.value for finding in result.findings}, counts.assumed > 0
        away = any(outcome is Outcome.ASSUMED for outcome, _ in truth.coverage.final)
        wanted = truth.traces, {"deadlock"} if truth.deadlocks else set(), away
        if got != wanted:
            found.append(f"{oracle.program.name} at {name}: got {got}, the model has {wanted}")
    return found


@pytest.mark.parametrize("seed", SEEDS)
def test_a_random_program_has_the_traces_that_its_model_has(seed: int, tmp_path: Path) -> None:
    assert differences(seed, tmp_path) == []


def main(seconds: float, seed: int) -> int:
    tried, found, deadline = 0, [], time.monotonic() + seconds
    with tempfile.TemporaryDirectory() as directory:
        while time.monotonic() < deadline:
            found += differences(seed, Path(directory))
            tried, seed = tried + 1, seed + 1
    print(f"{tried} random C programs with choices compared with their models, {len(found)} differences", *found, sep="\n")
    return bool(found)


if __name__ == "__main__":
    sys.exit(main(float(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else int(time.time())))
