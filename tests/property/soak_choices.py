"""`python -m tests.property.soak_choices SECONDS [SEED]`: random programs with open inputs, assumptions and calls that may fail, in every
bound, both engines against the oracle. Prints every program that is judged otherwise, and how many were tried; exits 1 if there was one."""

from __future__ import annotations

import random
import sys
import time
from collections import Counter

from bpor.search.options import SearchOptions
from bpor.simulate.oracle import Oracle, TooManyPrefixes
from tests.property.random_choices import with_choices
from tests.property.random_programs import Sample
from tests.property.soak import BOUNDS, OTHERS, options_from
from tests.property.trial import Unfinished, Verdict, judge


def draw(seed: int) -> tuple[Sample, str, SearchOptions]:
    source = random.Random(seed)
    bound = source.choice(BOUNDS if seed % 3 else OTHERS)
    return with_choices(source, "fair" in bound, source.choice((4, 6, 8))), bound, options_from(source)


def attempt(seed: int) -> Verdict | None:
    """None: too large to compare."""
    sample, bound, options = draw(seed)
    try:
        return judge(Oracle(sample.program, sample.semantics, max_prefixes=6_000, max_steps=120), bound, options, max_executions=3_000)
    except (TooManyPrefixes, Unfinished):
        return None


def main() -> int:
    seconds, seed = float(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 0
    counts: Counter[str] = Counter()
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        seed += 1
        verdict = attempt(seed)
        counts["too large" if verdict is None else "tried"] += 1
        if verdict is not None and not verdict.good:
            counts["wrong"] += 1
            print(f"seed {seed}: {draw(seed)}: {verdict}", flush=True)
    print(dict(counts))
    return int(counts["wrong"] > 0)


if __name__ == "__main__":
    sys.exit(main())
