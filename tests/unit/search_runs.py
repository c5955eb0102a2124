"""Runs a search on a simulated program, for the tests of the search."""

from __future__ import annotations

from bpor.model.executor import Executor
from bpor.search.bounds import parse_bound
from bpor.search.budget import Budget
from bpor.search.explorer import Explorer
from bpor.search.options import SearchOptions
from bpor.search.registry import make_strategy
from bpor.search.result import SearchResult
from bpor.simulate.executor import SimulatedExecutor
from bpor.simulate.notation import parse
from bpor.simulate.program import Program


def search(
    program: Program | str,
    bound: str | None = None,
    name: str | None = None,
    options: SearchOptions = SearchOptions(),  # noqa: B008 (frozen)
    max_executions: int | None = 20_000,
    max_findings: int | None = None,
    seed: int = 0,
    executor: Executor | None = None,
) -> SearchResult:
    strategy = make_strategy(name, parse_bound(bound) if bound is not None else None, options, seed)
    simulated = executor or SimulatedExecutor(parse(program) if isinstance(program, str) else program)
    return Explorer(simulated, strategy, Budget(max_executions, None, max_findings)).run()


def runs(result: SearchResult) -> tuple[int, int]:
    """(executions that ended by themselves, wasted ones) of a search that must have finished."""
    assert result.exhausted
    assert result.counts.cut == 0
    return result.counts.complete, result.counts.redundant + result.counts.over_bound
