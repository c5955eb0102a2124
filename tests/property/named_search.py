"""A search of the registry, by name, on a program of the oracle's: what it reached beside what can be reached."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from hypothesis import assume

from bpor.model.trace import Outcome
from bpor.search.bounds.bound import NONE
from bpor.search.bounds.grammar import parse_bound
from bpor.search.budget import Budget, SearchStop
from bpor.search.explorer import Explorer
from bpor.search.options import SearchOptions
from bpor.search.registry import make_strategy
from bpor.search.result import SearchResult
from bpor.search.strategies.cartesian import HAPPENS_BEFORE, Cartesian
from bpor.search.strategy import Strategy
from bpor.simulate.coverage import Coverage, Missing
from bpor.simulate.oracle import Oracle, TooManyPrefixes, Truth
from tests.property.random_programs import Sample
from tests.property.trial import Unfinished, oracle_bound

OPTIONS = SearchOptions(max_steps=400)


@dataclass(frozen=True, slots=True)
class Comparison:
    truth: Truth
    coverage: Coverage
    result: SearchResult
    missing: Missing
    beyond: Missing  # reached, although the bound excludes it

    @property
    def runs(self) -> tuple[int, int]:
        """(executions that ended by themselves, all others)."""
        return self.coverage.complete_runs, self.coverage.other_runs


def run(oracle: Oracle, strategy: Strategy, max_executions: int = 20_000) -> tuple[Coverage, SearchResult]:
    executor = oracle.executor()
    assert executor.coverage is not None
    result = Explorer(executor, strategy, Budget(max_executions=max_executions, max_findings=None)).run()
    if result.stop is not SearchStop.EXHAUSTED or result.counts.cut:
        raise Unfinished(f"{oracle.program.name}: {result.stop}, {result.counts}")
    return executor.coverage, result


def compare(oracle: Oracle, name: str, bound: str, options: SearchOptions = OPTIONS, seed: int = 0, most: int = 20_000) -> Comparison:
    """Raises oracle.TooManyPrefixes or trial.Unfinished."""
    limits = parse_bound(bound)
    truth = oracle.explore(oracle_bound(limits))
    coverage, result = run(oracle, make_strategy(name, limits, options, seed), most)
    return Comparison(truth, coverage, result, coverage.lacks(truth.coverage), truth.coverage.lacks(coverage))


def cartesian_misses(oracle: Oracle, options: SearchOptions, library: Path | None = None, most: int = 2_000) -> bool:
    """Is a local state missed, or a deadlock, where states are known by their graphs? Raises oracle.TooManyPrefixes or trial.Unfinished."""
    truth = oracle.explore(oracle_bound(NONE)).coverage
    coverage, _ = run(oracle, Cartesian(options, HAPPENS_BEFORE, library), most)
    missing = coverage.lacks(truth)
    return bool(missing.local or missing.local_values) or deadlocks(truth) != deadlocks(coverage)


def deadlocks(coverage: Coverage) -> set[object]:
    return {trace for outcome, trace in coverage.final if outcome is Outcome.DEADLOCK}


def compare_sample(sample: Sample, name: str, bound: str, options: SearchOptions = OPTIONS, seed: int = 0) -> Comparison:
    """For hypothesis: programs that are too large are not examples."""
    try:
        return compare(Oracle(sample.program, sample.semantics, max_prefixes=3_000, max_steps=100), name, bound, options, seed, 2_000)
    except (TooManyPrefixes, Unfinished):
        assume(False)
        raise
