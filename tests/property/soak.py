"""`python -m tests.property.soak SECONDS [SEED]`: random programs, every bound and option, the engine against the oracle, as long as asked.

Prints each miss as something to paste, and at the end the programs tried and missed: values and traces separately. Exits 1 on a miss.
"""

from __future__ import annotations

import random
import sys
import time
from collections import Counter

from bpor.search.options import SearchOptions
from bpor.simulate.oracle import Oracle, TooManyPrefixes
from tests.property.random_programs import Sample, from_random
from tests.property.trial import Unfinished, Verdict, judge

BOUNDS = (
    *("none", "preemption:0", "preemption:1", "preemption:2", "fair:0", "fair:1"),
    *("fair:0,preemption:0", "fair:0,preemption:1", "fair:1,preemption:1", "fair:1,preemption:2"),
    *("context:1", "context:3", "delta:1", "delta:2", "depth:5", "local-depth:3", "local-depth:5"),
)
# Every third program is for the others.
OTHERS = (
    *("context:1", "context:2", "context:3", "delta:1", "delta:2", "delta:3"),
    *("fair:0,context:1", "fair:1,context:2", "fair:0,delta:1", "fair:1,delta:2"),
    *("local-depth:4", "local-context:1", "local-context:2", "local-preemption:0", "local-preemption:1"),
)
# The bounds people use are drawn most often.
WEIGHTS = (3, 3, 4, 2, 3, 3, 2, 4, 4, 1, 1, 1, 1, 1, 1, 1, 1)


def options_from(source: random.Random) -> SearchOptions:
    def usually() -> bool:
        return source.random() < 0.8

    return SearchOptions(
        sleep_sets=usually(),
        transitive_reduction=usually(),
        bound_optimisation=usually(),
        release_optimisation=usually(),
        check_postconditions=source.random() < 0.05,
        max_steps=400,
    )


def draw(seed: int) -> tuple[Sample, str, SearchOptions]:
    """The trial of a seed."""
    source = random.Random(seed)
    bound = source.choices(BOUNDS, WEIGHTS)[0] if seed % 3 != 1 else source.choice(OTHERS)
    return from_random(source, "fair" in bound, source.choice((7, 9, 12))), bound, options_from(source)


def attempt(seed: int) -> Verdict | None:
    """None: too large to compare."""
    sample, bound, options = draw(seed)
    try:
        return judge(Oracle(sample.program, sample.semantics, max_prefixes=6_000, max_steps=120), bound, options, max_executions=3_000)
    except (TooManyPrefixes, Unfinished):
        return None


def soak(seconds: float, seed: int) -> Counter[str]:
    counts: Counter[str] = Counter()
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        seed += 1
        try:
            verdict = attempt(seed)
        except Exception as failure:
            counts["failed"] += 1
            print(f"seed {seed}: {draw(seed)}: {failure!r}", flush=True)
            continue
        if verdict is None:
            counts["too large"] += 1
            continue
        counts["tried"] += 1
        counts["executions"] += verdict.executions
        counts["traces"] += verdict.traces
        missing = verdict.missing
        counts["missed traces or events"] += bool(missing.local or missing.final)
        counts["missed values"] += bool(verdict.missing_values)
        counts["reached beyond the bound"] += bool(verdict.exact and verdict.beyond)
        counts["miscounted traces"] += verdict.exact and verdict.traces != verdict.counted
        counts["oracles differ"] += not verdict.oracles_agree
        if not verdict.good:
            print(f"seed {seed}: {draw(seed)}: {verdict}", flush=True)
    return counts


GOOD = ("tried", "too large", "executions", "traces")


def main() -> int:
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 60.0
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else random.SystemRandom().randrange(1 << 40)
    print(f"soak: {seconds:g} seconds from seed {seed}", flush=True)
    counts = soak(seconds, seed)
    print(", ".join(f"{name} {counts[name]}" for name in (*GOOD, *sorted(set(counts) - set(GOOD)))))
    return int(any(count for name, count in counts.items() if name not in GOOD))


if __name__ == "__main__":
    sys.exit(main())
