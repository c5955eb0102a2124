"""`python -m tests.property.soak_searches SECONDS [SEED]`: random programs, every search but bpor against the oracle, as long as asked.

Prints each miss as something to paste, and at the end how many programs each search was tried on and how many it missed something of.
Exits 1 on a miss.
"""

from __future__ import annotations

import random
import re
import sys
import time
from collections import Counter
from dataclasses import replace

from bpor.search.optimal.order import ORDERS
from bpor.search.options import SearchOptions
from bpor.simulate.oracle import Oracle, TooManyPrefixes
from tests.property.exact_space import unreached, unreached_by_executions, without_idle_timeouts
from tests.property.named_search import OPTIONS, compare, deadlocks
from tests.property.random_programs import Sample, from_random
from tests.property.trial import Unfinished

WITHIN = ("preemption:0", "preemption:1", "preemption:2", "fair:1", "fair:1,preemption:1")  # bounds of optimal search
TRUE_STATES = ("cartesian states apart", "cartesian states together", "cartesian executions")
SEARCHES = (
    *(("optimal:" + order, "none") for order in ORDERS),
    *(("optimal:dfs", "none"),) * 4,
    *(("optimal", bound) for bound in WITHIN),
    *(("cb-por", bound) for bound in ("none", "preemption:0", "preemption:1", "preemption:2")),
    *(("best-first:random", bound) for bound in ("none", "preemption:1", "fair:1", "fair:1,preemption:1")),
    *(("best-first:pb,dpor", bound) for bound in ("none", "preemption:1", "fair:1", "fair:1,preemption:1")),
    *(("best-first-all:random", bound) for bound in ("preemption:0", "preemption:1")),
    ("cartesian:happens-before", "none"),
    *((name, "none") for name in TRUE_STATES),
)


with_timeouts: Counter[str] = Counter()  # programs with timeouts of idle states in optimal search, which need not be exact there


def draw(seed: int) -> tuple[Sample, str, str]:
    """The trial of a seed."""
    source = random.Random(seed)
    search, bound = source.choice(SEARCHES)
    return from_random(source, spinning="fair" in bound or search in TRUE_STATES, max_operations=10), search, bound


def attempt(seed: int) -> str | None:
    """What is wrong, or an empty text. None: too large to compare, or not what the search is for."""
    sample, search, bound = draw(seed)
    if "cartesian" in search and not without_idle_timeouts(sample):
        return None
    try:
        if search in TRUE_STATES:
            if search.endswith("executions"):
                missed = unreached_by_executions(sample.program, sample.semantics, "library" if seed % 3 else "python")
            else:
                missed = unreached(sample.program, sample.semantics, concurrent=search.endswith("together"))
            return f"{missed} missed" if missed else ""
        if search == "optimal":
            return _within(sample, bound)
        oracle = _oracle(sample)
        found = compare(oracle, search, bound, _options(seed, search), seed, most=3_000)
    except (TooManyPrefixes, Unfinished):
        return None
    if search == "cartesian:happens-before":
        missing = found.missing.local or found.missing.local_values or deadlocks(found.truth.coverage) != deadlocks(found.coverage)
        return str(found.missing) if missing else ""
    if found.missing:
        return str(found.missing)
    counts = found.result.counts
    exact = search == "cb-por" or (search == "optimal:dfs" and without_idle_timeouts(sample))
    if search == "optimal:dfs" and not exact:
        with_timeouts["programs"] += 1
        with_timeouts["inexact"] += counts.redundant > 0 or counts.complete != found.truth.traces
    if exact and counts.complete != found.truth.traces:
        return f"{counts.complete} complete executions for {found.truth.traces} traces"
    return "redundant executions" if exact and search != "cb-por" and counts.redundant else ""


def attempt_within(seed: int) -> str | None:
    """Likewise of optimal search within a bound alone."""
    source = random.Random(seed)
    bound = source.choice(WITHIN)
    try:
        return _within(from_random(source, spinning="fair" in bound, max_operations=10), bound)
    except (TooManyPrefixes, Unfinished):
        return None


def _within(sample: Sample, bound: str) -> str:
    """Who can go on is looked up in the table; of some operations only an execution tells, and a fair bound is the executor's."""
    found = compare(_oracle(sample), "optimal", bound, replace(OPTIONS, engine="library"), most=3_000)
    if found.missing:
        return str(found.missing)
    counts, traces = found.result.levels[-1].counts, found.truth.traces
    if counts.distinct_traces != traces:
        return f"{counts.distinct_traces} traces counted, there are {traces}"
    exact = bound.startswith("preemption") and not re.search("timed|barrier|(rd|wr)(un)?lock", sample.program.name)
    outside = 1  # shows that the bound matters
    repeated = counts.complete - counts.checked - outside > traces
    return f"{counts.complete} complete executions for {traces} traces" if exact and repeated else ""


def _oracle(sample: Sample) -> Oracle:
    return Oracle(sample.program, sample.semantics, max_prefixes=4_000, max_steps=120)


def _options(seed: int, search: str) -> SearchOptions:
    """These are tried in both engines, best-first search in C with known steps too."""
    if not search.startswith(("best-first", "cb-por", "cartesian")) or seed % 3 == 0:
        return OPTIONS
    return replace(OPTIONS, engine="library", known_steps=seed % 3 == 1, open_limit=16 * (seed % 2))  # best-first: on disk beyond it


def main() -> int:
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 60.0
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else random.SystemRandom().randrange(1 << 40)
    print(f"soak of the searches: {seconds:g} seconds from seed {seed}", flush=True)
    tried: Counter[str] = Counter()
    wrong: Counter[str] = Counter()
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        seed += 1
        try:
            problem = attempt(seed)
        except Exception as failure:
            problem = repr(failure)
        if problem is not None:
            name = draw(seed)[1]
            tried[name] += 1
            wrong[name] += bool(problem)
            if problem:
                print(f"seed {seed}: {draw(seed)}: {problem}", flush=True)
    print(", ".join(f"{name} {wrong[name]} of {count}" for name, count in sorted(tried.items())))
    print(f"optimal:dfs with timeouts: not exact on {with_timeouts['inexact']} of {with_timeouts['programs']}")
    return int(any(wrong.values()))


if __name__ == "__main__":
    sys.exit(main())
