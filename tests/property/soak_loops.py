"""`python -m tests.property.soak_loops SECONDS [SEED]`: the search that recognises states, judged by whole graphs.

Prints each miss as something to paste, and at the end for each kind of bound how many programs were tried, how many have livelocks, and the
steps of the search beside the nodes of the graph. Exits 1 on a miss.
"""

from __future__ import annotations

import random
import sys
import time
from collections import Counter
from dataclasses import dataclass, replace
from pathlib import Path

from bpor.search.options import SearchOptions
from bpor.simulate.graph import ProgramStates, whole_graph
from bpor.simulate.oracle import TooManyPrefixes
from bpor.simulate.program import Semantics
from tests.property.loop_trial import STEPS, TooLong, explore, explore_in_c, judge
from tests.property.random_automata import Looping, looping

BOUNDS: tuple[tuple[int | None, int | None], ...] = (
    *((None, None),) * 6,
    *((0, None), (1, None), (2, None)) * 2,
    *((None, 0), (None, 1)) * 3,
    *((0, 1), (1, 0), (1, 1), (2, 1)),
)
LARGEST = 1_500  # nodes of a graph


@dataclass(frozen=True, slots=True)
class Trial:
    sample: Looping
    preemption: int | None
    fair: int | None
    options: SearchOptions
    capacity: int

    @property
    def forgets(self) -> bool:
        return self.capacity < LARGEST

    @property
    def kind(self) -> str:
        bound = {(True, True): "none", (False, True): "preemption", (True, False): "fair", (False, False): "combined"}
        forgetting = ", forgetting" * self.forgets
        threads = ", 4 threads" * (self.sample.text.count("|") == 3)
        timed = ", timed" * ("timed" in self.sample.text)
        return bound[self.preemption is None, self.fair is None] + threads + timed + forgetting


def draw(seed: int) -> Trial:
    """The trial of a seed."""
    source = random.Random(seed)
    four, more = source.random() < 0.15, source.random() < 0.5
    timed = more and source.random() < 0.4
    sample = looping(source, 4 if four else None, 2 if four else 3 if more else 4, more, timed)
    if more:
        sample = replace(sample, semantics=Semantics(source.random() < 0.3, source.random() < 0.3, source.random() < 0.1))
    preemption, fair = source.choice(BOUNDS)
    plain = source.random() < 0.7
    options = SearchOptions(
        sleep_sets=plain or source.random() < 0.5,
        transitive_reduction=plain or source.random() < 0.5,
        bound_optimisation=plain or source.random() < 0.5,
        release_optimisation=plain or source.random() < 0.5,
        max_steps=STEPS,
    )
    return Trial(sample, preemption, fair, options, source.choice((3, 20)) if source.random() < 0.15 else 1 << 20)


def attempt(seed: int, counts: Counter[str] | None = None, library: Path | None = None) -> str | None:
    """What is wrong with the search of the C engine, or an empty text. None: too large to compare."""
    trial = draw(seed)
    sample, preemption, fair = trial.sample, trial.preemption, trial.fair
    program = sample.program
    options = replace(trial.options, match_limit=trial.capacity if trial.forgets else 0)
    try:
        states = ProgramStates(program, sample.semantics, LARGEST)
        exact = whole_graph(states, max_nodes=LARGEST)
        truth = whole_graph(states, preemption, fair, max_nodes=LARGEST)
        found = explore_in_c(program, states, preemption, fair, sample.semantics, options, 60_000, library)
        other = found
        if library is None and not trial.forgets:  # the other engine runs the same executions
            other = explore(program, states, preemption, fair, sample.semantics, options=trial.options, max_steps=60_000)
    except TooManyPrefixes:
        return None
    except TooLong:
        return None if trial.forgets else "too long"  # a table that forgets ends too, but when
    if counts is not None:
        kind = trial.kind
        counts[f"{kind}: tried"] += 1
        counts[f"{kind}: with livelocks"] += bool(truth.fair)
        counts[f"{kind}: steps"] += found.steps
        counts[f"{kind}: nodes"] += truth.nodes
    judgement = judge(states, truth, exact, found)
    if fair is not None and "timed" in sample.text:
        judgement.false_livelocks = 0  # one that is idle only because the fair bound keeps others waiting is none of the exact graph
    if not judgement.good:
        return str(judgement)
    return "" if found == other else f"C: {found}, Python: {other}"


def main() -> int:
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 60.0
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else random.SystemRandom().randrange(1 << 40)
    print(f"soak of loops: {seconds:g} seconds from seed {seed}", flush=True)
    counts: Counter[str] = Counter()
    wrong = large = 0
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        seed += 1
        try:
            missed = attempt(seed, counts)
        except Exception as failure:
            missed = repr(failure)
        large += missed is None
        if missed:
            wrong += 1
            print(f"seed {seed}: {draw(seed)}: {missed}", flush=True)
    print(f"wrong {wrong}, too large {large}; " + ", ".join(f"{name} {count}" for name, count in sorted(counts.items())))
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
