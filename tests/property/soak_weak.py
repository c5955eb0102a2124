"""`python -m tests.property.soak_weak SECONDS [SEED]`: random programs of atomic accesses under weak memory, against brute force,
against the axioms of C11 and against store buffers. Prints every program that is judged otherwise, and how many were tried."""

from __future__ import annotations

import random
import sys
import time

from bpor.search.bounds.grammar import parse_bound
from bpor.search.options import SearchOptions
from bpor.simulate.notation import parse
from bpor.simulate.oracle import Oracle, TooManyPrefixes
from bpor.simulate.program import Semantics
from tests.property.axioms import TooMany, outcomes
from tests.property.random_atomics import bend, generate, wait
from tests.property.store_buffers import finals
from tests.property.trial import Unfinished, oracle_bound, search
from tests.property.weak_trial import reach

BOUNDS = (
    *("none", "none", "preemption:0", "preemption:1", "preemption:2", "fair:1", "fair:1,preemption:1"),
    *("stale:0", "stale:1", "stale:2", "stale:1,preemption:1", "stale:1,fair:1"),
)


def drawn(source: random.Random, sizes: tuple[int, ...], locks: bool = False) -> str:
    if source.random() < 0.5:
        return bend(source.randint, locks)
    return generate(source.randint, source.choice(sizes), locks, strong=source.random() < 0.2)


def against_brute_force(source: random.Random) -> str | None:
    """What is wrong, or None."""
    loops = source.random() < 0.2
    text = wait(source.randint) if loops else drawn(source, (6, 7, 8), locks=source.random() < 0.2)
    bound = source.choice([bound for bound in BOUNDS if "fair" in bound or not loops])
    memory, placing = source.choice(("tso", "c11", "c11")), source.random() < 0.8
    oracle = Oracle(parse(text), Semantics(memory=memory, placing=placing), max_prefixes=20_000)
    truth = oracle.explore_values(oracle_bound(parse_bound(bound))).coverage
    found = search(oracle, bound, SearchOptions(engine="library", max_steps=400), max_executions=4_000).coverage
    second = search(oracle, bound, SearchOptions(max_steps=400), max_executions=4_000).coverage
    if (second.complete_runs, second.final_values) != (found.complete_runs, found.final_values):
        return f"{memory} {bound}: {text!r}: the engines differ"
    if truth.final_values == found.final_values and not truth.local_values - found.local_values:
        return None
    lost, beyond = len(truth.final_values - found.final_values), len(found.final_values - truth.final_values)
    return f"{memory} {'placing' if placing else 'appending'} {bound}: {text!r} loses {lost}, shows {beyond} too much"


def against_buffers(source: random.Random) -> str | None:
    text = drawn(source, (6, 8, 10, 11))
    buffered = finals(parse(text))
    if buffered is None:
        raise TooManyPrefixes
    found = reach(parse(text), "tso").outcomes
    same = len(found) == len(buffered) and {reads for reads, _ in found} == {reads for reads, _ in buffered}
    return None if same else f"tso: {text!r} is not what store buffers do"


def against_axioms(source: random.Random) -> str | None:
    text = drawn(source, (6, 7, 8), locks=source.random() < 0.3)
    try:
        allowed = outcomes(text)
    except TooMany:
        raise TooManyPrefixes from None
    found = reach(parse(text), "c11").outcomes
    return None if found == allowed else f"c11: {text!r} loses {len(allowed - found)}, shows {len(found - allowed)} too much"


def main(seconds: float, seed: int) -> int:
    source, end = random.Random(seed), time.monotonic() + seconds
    tried = wrong = 0
    while time.monotonic() < end:
        for judge in (against_brute_force, against_axioms, against_buffers):
            try:
                said = judge(source)
            except (TooManyPrefixes, Unfinished, AssertionError):
                continue
            tried += 1
            if said is not None:
                wrong += 1
                print(said, flush=True)
    print(f"weak memory: {tried} programs, {wrong} wrong")
    return wrong > 0


if __name__ == "__main__":
    sys.exit(main(float(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 1))
