"""The default search draws a share of its executions once it is large, which finds what lies at its far end."""

from __future__ import annotations

import pytest

from bpor.model.plan import Plan
from bpor.model.trace import Outcome
from bpor.search.budget import Budget
from bpor.search.explorer import Explorer
from bpor.search.options import SearchOptions
from bpor.search.registry import make_strategy
from bpor.search.result import SearchResult
from bpor.search.strategies import share
from bpor.search.strategies.widening import Widening
from bpor.simulate.executor import SimulatedExecutor
from bpor.simulate.notation import parse

# Ten threads that all conflict; the first one blocks if the last has run before it.
WIDE = parse("Rf; if sem_wait q; RMWx | " + "RMWx | " * 8 + "RMWx; Wf", q=0)


def searched(most: int) -> SearchResult:
    strategy = make_strategy(None, None, SearchOptions(engine="library"))
    return Explorer(SimulatedExecutor(WIDE), strategy, Budget(max_executions=most, max_findings=1)).run()


def test_a_wide_program_is_found_wrong_by_what_is_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(share, "AFTER", 200)
    result = searched(1_000)
    (failure,) = result.failures
    assert failure.trace.end.outcome is Outcome.DEADLOCK
    assert 200 < result.executions < 500
    monkeypatch.setattr(share, "AFTER", 1 << 60)
    assert not searched(1_000).failures


def test_one_of_so_many_is_drawn_and_counted_but_part_of_no_level(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(share, "AFTER", 100)
    strategy = Widening(SearchOptions(engine="library"))
    executor = SimulatedExecutor(parse("RMWx; RMWx | RMWx; RMWx | RMWx; RMWx"))
    result = Explorer(executor, strategy, Budget(max_findings=None)).run()
    own = strategy.total.executions
    assert result.exhausted and result.counts.distinct_traces == 90
    assert result.executions - own == (own - 100) // share.EVERY + 1
    assert result.counts.executions == result.executions


def test_a_small_search_draws_nothing() -> None:
    strategy = Widening(SearchOptions())
    result = Explorer(SimulatedExecutor(parse("RMWx | RMWx")), strategy, Budget(max_findings=None)).run()
    assert result.executions == strategy.total.executions


def test_a_batch_is_followed_by_a_few_at_most() -> None:
    """One that is drawn costs as much as many of a batch."""
    drawing, trace = share.Share(SearchOptions()), SimulatedExecutor(parse("Wx | Wx")).run(Plan())
    for executions in (1_000_000, 1_010_000):
        drawn = 0
        while drawing.is_due(executions):
            drawing.plan()
            drawn += drawing.takes(trace)
        assert drawn == share.ROW
