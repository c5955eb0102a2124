"""A program whose threads are copies of few, searched with --symmetry, beside what brute force reaches without it.

`python -m tests.property.symmetric_trial SECONDS [SEED]` tries random ones for as long as asked (make soak).

Every trace of the program must be one that the search ran, with threads of one body renamed: events and all, where no main thread joins
them in an order of its own; and what threads observed and memory holds at the end, always.
"""

from __future__ import annotations

import random
import sys
import time
from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from itertools import groupby, permutations, product

from bpor.search.bounds.grammar import parse_bound
from bpor.search.options import SearchOptions
from bpor.simulate.coverage import Coverage
from bpor.simulate.executor import SimulatedExecutor
from bpor.simulate.notation import parse
from bpor.simulate.oracle import Oracle, TooManyPrefixes
from bpor.simulate.program import DEFAULT, Program, Semantics
from bpor.simulate.world import Path
from tests.property.random_programs import from_random
from tests.property.trial import Unfinished, oracle_bound, run_search

_ASYMMETRIC = ("join", "spawn")  # threads that are named by their numbers
ENGINES = ("library", "python")
BOUNDS = ("none", "none", "preemption:0", "preemption:1", "preemption:2")

Renaming = dict[Path, Path]


@dataclass(frozen=True, slots=True)
class Copies:
    """The thread `bodies[k]` of the text, `times[k]` times."""

    text: str
    times: tuple[int, ...]
    semantics: Semantics = DEFAULT
    posted: int = 0
    with_main: bool = False

    @property
    def program(self) -> Program:
        bodies = parse(self.text, s=self.posted)
        threads = tuple(body for body, times in zip(bodies.threads, self.times, strict=True) for _ in range(times))
        program = Program(self.text, threads, semaphores=bodies.semaphores)
        return program.with_main() if self.with_main else program

    def renamings(self) -> Iterator[Renaming]:
        above: Path = (0,) if self.with_main else ()
        kinds = [kind for kind, times in enumerate(self.times) for _ in range(times)]
        groups = [[(*above, number) for number, _ in group] for _, group in groupby(enumerate(kinds), lambda pair: pair[1])]
        for each in product(*(permutations(group) for group in groups)):
            yield {before: after for group, renamed in zip(groups, each, strict=True) for before, after in zip(group, renamed, strict=True)}


def draw(source: random.Random) -> Copies:
    """Two to four threads of one or two bodies, some operations each."""
    while True:
        sample = from_random(source, max_operations=source.choice((4, 5, 6, 7)))
        bodies = [body for body in sample.text.split(" | ") if body]
        if sample.leaves or not bodies or any(word in sample.text for word in _ASYMMETRIC):
            continue
        times = source.choice(((2,), (3,), (2, 1), (2, 2), (1, 2)))
        if len(bodies) >= len(times):
            return Copies(" | ".join(bodies[: len(times)]), times, sample.semantics, sample.posted, source.random() < 0.25)


def _renamed_event(coverage: Coverage, event: int, renaming: Renaming, known: dict[int, int]) -> int:
    if event not in known:
        path, number, kind, before = coverage.events.keys[event]
        past = frozenset(_renamed_event(coverage, one, renaming, known) for one in before)
        known[event] = coverage.events.intern((renaming.get(path, path), number, kind, past))
    return known[event]


def _renamed_values(final: Hashable, renaming: Renaming) -> Hashable:
    """Without a main thread that joins them: which of them it waits for when all are stuck is told by their names."""
    outcome, ended_by, observed, memory, graph = final  # type: ignore[misc]
    threads = tuple(sorted((renaming[path], number) for path, number in observed if path in renaming))
    return outcome, renaming.get(ended_by, ended_by), threads, memory, graph


@dataclass(frozen=True, slots=True)
class Missed:
    finals: int
    traces: int
    events: int
    local_values: int
    executions: int
    whole: int  # traces of the whole program

    @property
    def anything(self) -> bool:
        return bool(self.finals or self.traces or self.events or self.local_values)


def judge_copies(copies: Copies, bound: str, engine: str = "library", max_executions: int = 20_000, sleep_sets: bool = True) -> Missed:
    """Raises TooManyPrefixes or Unfinished."""
    oracle = Oracle(copies.program, copies.semantics, max_prefixes=6_000, max_steps=120)
    truth = oracle.explore(oracle_bound(parse_bound(bound))).coverage
    executor = SimulatedExecutor(oracle.program, oracle.semantics, Coverage(oracle.events), oracle.unrolling, symmetry=True)
    options = SearchOptions(engine=engine, max_steps=400, sleep_sets=sleep_sets)
    found = run_search(executor, oracle.program.name, bound, options, max_executions)
    renamings, reached = list(copies.renamings()), found.coverage
    known: list[dict[int, int]] = [{} for _ in renamings]

    def event_reached(event: int) -> bool:
        return any(_renamed_event(truth, event, each, memo) in reached.local for each, memo in zip(renamings, known, strict=True))

    def trace_reached(outcome: Hashable, events: frozenset[int]) -> bool:
        return any(
            (outcome, frozenset(_renamed_event(truth, event, each, memo) for event in events)) in reached.final
            for each, memo in zip(renamings, known, strict=True)
        )

    local = {(each.get(path, path), number) for path, number in reached.local_values for each in renamings}
    ordered = copies.with_main  # by the joins of a main thread, which renaming would change
    unchanged = {path: path for path in renamings[0]}
    ends = {_renamed_values(final, unchanged) for final in reached.final_values}
    return Missed(
        sum(not any(_renamed_values(final, each) in ends for each in renamings) for final in truth.final_values),
        0 if ordered else sum(not trace_reached(*final) for final in truth.final),
        0 if ordered else sum(not event_reached(event) for event in list(truth.local)),
        len(truth.local_values - local),
        found.result.executions,
        truth.traces,
    )


def attempt(seed: int) -> Missed | None:
    """The trial of a seed; None: too large to compare."""
    source = random.Random(seed)
    copies, bound = draw(source), source.choice(BOUNDS)
    try:
        return judge_copies(copies, bound, ENGINES[seed % len(ENGINES)], 3_000, source.random() < 0.8)
    except (TooManyPrefixes, Unfinished):
        return None


def main(seconds: float, seed: int) -> int:
    tried = failed = executions = traces = 0
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        seed += 1
        missed = attempt(seed)
        if missed is None:
            continue
        tried, executions, traces = tried + 1, executions + missed.executions, traces + missed.whole
        if missed.anything:
            failed += 1
            print(f"seed {seed}: {draw(random.Random(seed))}: {missed}", flush=True)
    print(f"{tried} programs with threads that start alike, {failed} of which lost something; {executions} executions for {traces} traces")
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main(float(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else int(time.time())))
