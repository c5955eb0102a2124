"""`python -m tests.property.soak_known_steps SECONDS [SEED [BOUND]]`: random programs, each searched with known steps and without.

With the table nothing that the oracle reaches is missed, and hardly more executions are run than there are traces: those that show that the
bound matters, and those whose last steps turn out to repeat others. Exits 1 on a miss.
"""

from __future__ import annotations

import random
import sys
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from bpor.errors import BporError
from bpor.search.options import SearchOptions
from bpor.simulate.oracle import Oracle, TooManyPrefixes
from tests.property.random_programs import Sample, from_random
from tests.property.trial import Unfinished, compare, search, search_with

BOUNDS = (
    *("none", "preemption:0", "preemption:1", "preemption:2", "fair:0", "fair:1", "fair:0,preemption:1", "fair:1,preemption:1"),
    *("context:2", "context:3", "context:4", "delta:1", "delta:2", "delta:3", "fair:1,context:3", "fair:0,delta:1", "fair:1,delta:2"),
    *("local-depth:3", "local-context:1", "local-preemption:1"),
)
PLAIN = SearchOptions(engine="library", max_steps=400)
KNOWN = SearchOptions(engine="library", max_steps=400, known_steps=True)


@dataclass(frozen=True, slots=True)
class Trial:
    lost: str  # empty: nothing
    plain: int  # executions
    known: int
    traces: int


def draw(seed: int) -> tuple[Sample, str]:
    source = random.Random(seed)
    bound = source.choice(BOUNDS)
    return from_random(source, "fair" in bound, source.choice((7, 9, 12))), bound


def without_preemption(bound: str) -> str:
    return ",".join(term for term in bound.split(",") if not term.startswith("preemption")) or "none"


def attempt(seed: int, library: Path | None = None) -> Trial | None:
    """None: too large to compare. `library`: an engine that was built somewhere."""
    sample, bound = draw(seed)
    oracle = Oracle(sample.program, sample.semantics, max_prefixes=6_000, max_steps=120)
    try:
        plain = search(oracle, bound, PLAIN, max_executions=3_000)
        known = search_with(oracle, bound, KNOWN, library, 3_000)
        unbounded = search(oracle, without_preemption(bound), PLAIN, max_executions=3_000)
        judged, verdict = compare(oracle, bound, plain), compare(oracle, bound, known)
    except (TooManyPrefixes, Unfinished):
        return None
    except BporError as error:
        return Trial(str(error), 0, 0, 0)
    lost = ""
    if judged.missing or judged.missing_values:
        lost = f"missed without a table: {judged}"
    elif verdict.missing or verdict.missing_values:
        lost = f"missed: {verdict}"
    elif verdict.exact and verdict.counted != verdict.traces:
        lost = f"{verdict.counted} traces counted, there are {verdict.traces}"
    elif known.result.executions > 1.2 * max(plain.result.executions, unbounded.result.executions) + 4:  # timeouts are always executed
        lost = f"{known.result.executions} executions, {plain.result.executions} without a table"
    return Trial(lost, plain.result.executions, known.result.executions, verdict.traces)


def soak(seconds: float, seed: int, only: str = "") -> Counter[str]:
    """`only`: part of the bounds' names."""
    counts: Counter[str] = Counter()
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        seed += 1
        if only not in draw(seed)[1]:
            continue
        trial = attempt(seed)
        if trial is None:
            counts["too large"] += 1
            continue
        counts["tried"] += 1
        counts["executions without a table"] += trial.plain
        counts["executions"] += trial.known
        counts["traces"] += trial.traces
        counts["lost"] += bool(trial.lost)
        if trial.lost:
            print(f"seed {seed}: {draw(seed)}: {trial.lost}", flush=True)
    return counts


def main() -> int:
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 60.0
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else random.SystemRandom().randrange(1 << 40)
    counts = soak(seconds, seed, sys.argv[3] if len(sys.argv) > 3 else "")
    print(f"known steps, from seed {seed}:", ", ".join(f"{name} {count:,}" for name, count in counts.items()))
    return 1 if counts["lost"] or not counts["tried"] else 0


if __name__ == "__main__":
    sys.exit(main())
