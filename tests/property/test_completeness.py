"""Random programs: the engine reaches exactly what brute force reaches, within every bound and with every combination of options.

Local states, final states, deadlocks and the number of traces by events; local and final states once more by observed values, which do not
depend on footprints. `python -m tests.property.soak SECONDS` does the same for as long as one likes.
"""

from __future__ import annotations

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from bpor.search.bounds.grammar import parse_bound
from bpor.search.budget import Budget, SearchStop
from bpor.search.explorer import Explorer
from bpor.search.options import SearchOptions
from bpor.search.registry import make_strategy
from bpor.search.strategies import widening
from bpor.simulate.notation import parse
from bpor.simulate.oracle import Oracle, TooManyPrefixes
from tests.property.calm import calm
from tests.property.random_programs import Sample, samples
from tests.property.trial import Unfinished, Verdict, judge, oracle_bound, search

BOUNDS = (
    *("none", "preemption:0", "preemption:1", "preemption:2", "context:2", "delta:1", "depth:4"),
    *("local-depth:4", "local-context:1", "local-preemption:1"),
)
FAIR_BOUNDS = (
    *("fair:0", "fair:1", "fair:0,preemption:0", "fair:0,preemption:1", "fair:1,preemption:1"),
    *("fair:1,context:2", "fair:0,delta:1"),
)
CALM = calm(20)
options = st.builds(SearchOptions, st.booleans(), st.booleans(), st.booleans(), st.booleans(), max_steps=st.just(400))


def verdict_on(sample: Sample, bound: str, chosen: SearchOptions) -> Verdict:
    try:
        oracle = Oracle(sample.program, sample.semantics, max_prefixes=3_000, max_steps=100)
        return judge(oracle, bound, chosen, max_executions=2_000)
    except (TooManyPrefixes, Unfinished):
        assume(False)
        raise


@pytest.mark.parametrize("bound", BOUNDS)
@CALM
@given(sample=samples(), chosen=options)
def test_the_search_reaches_what_brute_force_reaches(bound: str, sample: Sample, chosen: SearchOptions) -> None:
    verdict = verdict_on(sample, bound, chosen)
    assert verdict.good, verdict


@pytest.mark.parametrize("bound", FAIR_BOUNDS)
@CALM
@given(sample=samples(spinning=True), chosen=options)
def test_the_search_reaches_what_brute_force_reaches_under_a_fair_bound(bound: str, sample: Sample, chosen: SearchOptions) -> None:
    verdict = verdict_on(sample, bound, chosen)
    assert verdict.good, verdict


@pytest.mark.parametrize("bound", ("none", "preemption:1", "fair:1", "fair:0,preemption:1"))
@CALM
@given(sample=samples(max_operations=7))
def test_plain_search_runs_every_schedule_once(bound: str, sample: Sample) -> None:
    oracle = Oracle(sample.program, sample.semantics, max_prefixes=3_000, max_steps=100)
    try:
        truth = oracle.explore(oracle_bound(parse_bound(bound)))
        assume(truth.schedules <= 500)
        found = search(oracle, bound, strategy="dfs", max_executions=600)
    except TooManyPrefixes:
        assume(False)
        raise
    assert found.coverage.complete_runs == found.result.executions == truth.schedules
    assert found.coverage.final == truth.coverage.final and found.coverage.local == truth.coverage.local


@CALM
@given(sample=samples())
def test_without_loops_the_default_search_loses_no_schedule(sample: Sample) -> None:
    try:
        oracle = Oracle(sample.program, sample.semantics, max_prefixes=3_000, max_steps=100)
        truth = oracle.explore().coverage
    except TooManyPrefixes:
        assume(False)
        raise
    executor = oracle.executor()
    strategy = make_strategy(None, None, SearchOptions(max_steps=400))
    result = Explorer(executor, strategy, Budget(max_executions=4_000, max_findings=None)).run()
    assume(result.stop is SearchStop.EXHAUSTED)
    assert executor.coverage is not None and any(level.whole for level in result.levels)
    assert not executor.coverage.lacks(truth) and not truth.lacks(executor.coverage)


YIELDING = st.lists(
    st.lists(st.sampled_from(("yield", "yield", "Wa", "Ra", "Wb", "Rb", "RMWa")), min_size=3, max_size=6), min_size=2, max_size=3
)


@pytest.mark.parametrize("engine", ("python", "library"))
@CALM
@given(threads=YIELDING)
def test_a_default_search_without_patience_covers_what_each_of_its_levels_says(engine: str, threads: list[list[str]]) -> None:
    """It goes over to fair bounds as early as it can, and is cut in the middle of some."""
    oracle = Oracle(parse(" | ".join(map("; ".join, threads))), max_prefixes=3_000, max_steps=100)
    executor = oracle.executor()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(widening, "_TRIAL", 4)
        patch.setattr(widening, "_is_spent", lambda tree, unbounded=False, times=1: tree.tally.executions > times * (6 if unbounded else 1))
        strategy = make_strategy(None, None, SearchOptions(max_steps=400, engine=engine, fair_start=1, fair_ceiling=2))
        result = Explorer(executor, strategy, Budget(max_executions=150, max_findings=None)).run()
    assert executor.coverage is not None
    for level in result.levels:
        try:
            truth = oracle.explore(oracle_bound(level.bound)).coverage if level.passed else None
        except TooManyPrefixes:
            continue
        assert truth is None or not executor.coverage.lacks(truth), level


@pytest.mark.parametrize("bound", ("preemption:1", "fair:1", "fair:1,preemption:1", "none"))
@CALM
@given(sample=samples())
def test_the_postconditions_hold_on_every_stack(bound: str, sample: Sample) -> None:
    verdict = verdict_on(sample, bound, SearchOptions(check_postconditions=True, max_steps=400))
    assert verdict.good, verdict


@pytest.mark.parametrize("bound", ("context:1", "context:2", "preemption:0", "preemption:1"))
@CALM
@given(sample=samples())
def test_a_local_bound_reaches_every_local_state_of_its_global_one(bound: str, sample: Sample) -> None:
    """What it counts along a causal chain, every schedule has that reaches its end."""
    try:
        oracle = Oracle(sample.program, sample.semantics, max_prefixes=3_000, max_steps=100)
        truth = oracle.explore(oracle_bound(parse_bound(bound))).coverage
        local = oracle.explore(oracle_bound(parse_bound(f"local-{bound}"))).coverage
    except TooManyPrefixes:
        assume(False)
        raise
    assert truth.local <= local.local and truth.local_values <= local.local_values
