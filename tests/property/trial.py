"""One trial: a program searched by the engine within a bound, and what the oracle says of the same program and bound."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from bpor.search.bounds.bound import Bound as SearchBound
from bpor.search.bounds.bound import BoundKind
from bpor.search.bounds.grammar import parse_bound
from bpor.search.bounds.rules import rule_for
from bpor.search.budget import Budget, SearchStop
from bpor.search.engine.library_tree import LibraryTree
from bpor.search.engine.rule import Rule
from bpor.search.explorer import Explorer
from bpor.search.options import SearchOptions
from bpor.search.registry import make_strategy
from bpor.search.result import SearchResult
from bpor.search.strategies.bpor import bpor
from bpor.search.strategies.dfs import dfs
from bpor.search.strategies.ladder import Ladder
from bpor.search.strategy import Strategy
from bpor.search.tally import Tally
from bpor.simulate.bounds import (
    BesideFair,
    BesideStale,
    Combined,
    OracleBound,
    OracleContext,
    OracleDelta,
    OracleDepth,
    OracleLocalContext,
    OracleLocalDepth,
    OracleLocalPreemption,
    Unbounded,
)
from bpor.simulate.coverage import Coverage, Missing
from bpor.simulate.executor import SimulatedExecutor
from bpor.simulate.oracle import Oracle

_ALONE: tuple[tuple[BoundKind, Callable[[int], OracleBound]], ...] = (
    (BoundKind.DEPTH, OracleDepth),
    (BoundKind.LOCAL_DEPTH, OracleLocalDepth),
    (BoundKind.LOCAL_CONTEXT, OracleLocalContext),
    (BoundKind.LOCAL_PREEMPTION, OracleLocalPreemption),
)
_STRATEGIES = {"bpor": bpor, "dfs": dfs}


class Unfinished(Exception):
    """The search needed more executions than the trial allows, or met a step limit."""


def oracle_bound(bound: SearchBound) -> OracleBound:
    """The same bound in the oracle's words."""
    stale = bound.value(BoundKind.STALE)
    return _oracle_bound(bound) if stale is None else BesideStale(stale, _oracle_bound(bound))


def _oracle_bound(bound: SearchBound) -> OracleBound:
    fair = bound.value(BoundKind.FAIR)
    counted = bound.value(BoundKind.CONTEXT), bound.value(BoundKind.DELTA)
    for value, make_counted in zip(counted, (OracleContext, OracleDelta), strict=True):
        if value is not None:
            return make_counted(value) if fair is None else BesideFair(fair, make_counted(value))
    for kind, make in _ALONE:
        value = bound.value(kind)
        if value is not None:
            return make(value)
    if not bound.kinds & {BoundKind.PREEMPTION, BoundKind.FAIR}:
        return Unbounded()
    return Combined(bound.value(BoundKind.PREEMPTION), bound.value(BoundKind.FAIR))


@dataclass(frozen=True, slots=True)
class Found:
    coverage: Coverage
    result: SearchResult


def search(oracle: Oracle, bound: str, options: SearchOptions | None = None, strategy: str = "bpor", max_executions: int = 20_000) -> Found:
    """Everything the search finds, bugs included, recorded by the executor. The C engine searches, unless the options say otherwise."""
    options = options or SearchOptions(engine="library", max_steps=400)
    return _run(oracle, bound, _STRATEGIES[strategy](parse_bound(bound), options, 0), max_executions)


def search_with(oracle: Oracle, bound: str, options: SearchOptions, library: Path | None, max_executions: int) -> Found:
    """By a C engine that was built somewhere; None: by ours."""

    def plant(level: SearchBound, rule: Rule, given: SearchOptions, total: Tally) -> LibraryTree:
        return LibraryTree(level, rule, given, total, library)

    return _run(oracle, bound, Ladder([parse_bound(bound)], rule_for, options, plant), max_executions)


def explore_named(executor: SimulatedExecutor, name: str, bound: str, options: SearchOptions, most: int = 20_000) -> SearchResult:
    return Explorer(executor, make_strategy(name, parse_bound(bound), options), Budget(max_executions=most, max_findings=None)).run()


def run_search(executor: SimulatedExecutor, name: str, bound: str, options: SearchOptions, max_executions: int) -> Found:
    return _explore(executor, name, bound, bpor(parse_bound(bound), options, 0), max_executions)


def _run(oracle: Oracle, bound: str, chosen: Strategy, max_executions: int) -> Found:
    return _explore(oracle.executor(), oracle.program.name, bound, chosen, max_executions)


def _explore(executor: SimulatedExecutor, name: str, bound: str, chosen: Strategy, max_executions: int) -> Found:
    assert executor.coverage is not None
    result = Explorer(executor, chosen, Budget(max_executions=max_executions, max_findings=None)).run()
    if result.stop is not SearchStop.EXHAUSTED or (result.counts.cut and "depth" not in bound):
        raise Unfinished(f"{name}: {result.stop}, {result.counts}")
    return Found(executor.coverage, result)


@dataclass(frozen=True, slots=True)
class Verdict:
    """What was missed, what was reached although the bound excludes it, and whether the two oracles agree."""

    missing: Missing  # by events
    missing_values: Missing  # by observed values
    beyond: Missing  # reached by the search, not by the oracle
    oracles_agree: bool
    traces: int
    counted: int  # distinct traces, as the search counts them
    executions: int
    exact: bool  # nothing beyond the bound may be reached
    engines_agree: bool = True  # both ran the same executions and counted the same

    @property
    def good(self) -> bool:
        within = not self.exact or (self.traces == self.counted and not self.beyond)
        return self.oracles_agree and self.engines_agree and within and not (self.missing or self.missing_values)


def judge(oracle: Oracle, bound: str, options: SearchOptions | None = None, max_executions: int = 20_000) -> Verdict:
    """Of both engines: what the C engine reaches, and whether the other does the same. Raises oracle.TooLarge or Unfinished."""
    options = replace(options or SearchOptions(max_steps=400), engine="library")
    found = search(oracle, bound, options, max_executions=max_executions)
    second = search(oracle, bound, replace(options, engine="python"), max_executions=max_executions)
    same = found.result.levels == second.result.levels and found.result.counts == second.result.counts
    same = same and not (found.coverage.lacks(second.coverage) or second.coverage.lacks(found.coverage))
    return replace(compare(oracle, bound, found), engines_agree=same)


def compare(oracle: Oracle, bound: str, found: Found) -> Verdict:
    """What a search reached, with what brute force reaches."""
    limits = oracle_bound(parse_bound(bound))
    by_events, by_values = oracle.explore(limits), oracle.explore_values(limits)
    same = by_events.coverage.local_values == by_values.coverage.local_values
    same = same and by_events.coverage.final_values == by_values.coverage.final_values and by_events.schedules == by_values.schedules
    return Verdict(
        found.coverage.lacks(by_events.coverage),
        found.coverage.lacks(by_values.coverage),
        by_events.coverage.lacks(found.coverage),
        same,
        by_events.traces,
        found.result.counts.distinct_traces,
        found.result.executions,
        # A step's causal past may turn out larger than its operation announced, when its segment ends the process.
        "local" not in bound,
    )
