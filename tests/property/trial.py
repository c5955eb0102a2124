"""One trial: a program searched by the engine within a bound, and what the oracle says of the same program and bound."""

from __future__ import annotations

from dataclasses import dataclass

from bpor.search.bounds.bound import Bound as SearchBound
from bpor.search.bounds.bound import Kind
from bpor.search.bounds.grammar import parse_bound
from bpor.search.budget import Budget, Stop
from bpor.search.explorer import Explorer
from bpor.search.options import SearchOptions
from bpor.search.result import SearchResult
from bpor.search.strategies.bpor import bpor
from bpor.search.strategies.dfs import dfs
from bpor.simulate.bounds import Bound, Combined, Context, Delta, Depth, LocalDepth
from bpor.simulate.coverage import Coverage, Missing
from bpor.simulate.oracle import Oracle

_STRATEGIES = {"bpor": bpor, "dfs": dfs}


class Unfinished(Exception):
    """The search needed more executions than the trial allows, or met a step limit."""


def oracle_bound(bound: SearchBound) -> Bound:
    """The same bound in the oracle's words."""
    for kind, make in ((Kind.CONTEXT, Context), (Kind.DELTA, Delta), (Kind.DEPTH, Depth), (Kind.LOCAL_DEPTH, LocalDepth)):
        value = bound.value(kind)
        if value is not None:
            return make(value)
    return Combined(bound.value(Kind.PREEMPTION), bound.value(Kind.FAIR))


@dataclass(frozen=True, slots=True)
class Found:
    coverage: Coverage
    result: SearchResult


def search(oracle: Oracle, bound: str, options: SearchOptions | None = None, strategy: str = "bpor", max_executions: int = 20_000) -> Found:
    """Everything the search finds, bugs included, recorded by the executor."""
    executor = oracle.executor()
    assert executor.coverage is not None
    chosen = _STRATEGIES[strategy](parse_bound(bound), options or SearchOptions(max_steps=400), 0)
    result = Explorer(executor, chosen, Budget(max_executions=max_executions, max_findings=None)).run()
    if result.stop is not Stop.EXHAUSTED or (result.counts.cut and "depth" not in bound):
        raise Unfinished(f"{oracle.program.name}: {result.stop}, {result.counts}")
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

    @property
    def good(self) -> bool:
        within = not self.exact or (self.traces == self.counted and not self.beyond)
        return self.oracles_agree and within and not (self.missing or self.missing_values)


def judge(oracle: Oracle, bound: str, options: SearchOptions | None = None, max_executions: int = 20_000) -> Verdict:
    """Raises oracle.TooLarge or Unfinished."""
    limits = oracle_bound(parse_bound(bound))
    by_events, by_values = oracle.explore(limits), oracle.explore_values(limits)
    found = search(oracle, bound, options, max_executions=max_executions)
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
        "local-depth" not in bound,
    )
