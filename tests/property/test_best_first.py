"""Best-first search reaches what brute force reaches, whatever the order.

The guard of erratum E26 cannot be missed here: an executor that runs ahead takes the last thread first wherever that may run. What
happens to an order that does not is shown on the reference search (test_mutants.py: LastThreadLast).
"""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bpor.search.options import SearchOptions
from tests.property.calm import calm
from tests.property.named_search import compare_sample
from tests.property.random_programs import Sample, samples

CALM = calm(20)
seeds = st.integers(0, 1000)
options = st.builds(SearchOptions, st.booleans(), st.booleans(), st.booleans(), st.booleans(), max_steps=st.just(400))


@pytest.mark.parametrize("bound", ("none", "preemption:0", "preemption:1", "preemption:2", "context:2", "delta:1", "local-depth:4"))
@CALM
@given(sample=samples(), seed=seeds, chosen=options)
def test_a_random_order_reaches_what_brute_force_reaches(bound: str, sample: Sample, seed: int, chosen: SearchOptions) -> None:
    found = compare_sample(sample, "best-first:random", bound, chosen, seed)
    assert not found.missing
    assert not found.beyond or bound.startswith("local-depth")


@pytest.mark.parametrize("bound", ("fair:0", "fair:1", "fair:0,preemption:0", "fair:1,preemption:1"))
@CALM
@given(sample=samples(spinning=True), seed=seeds)
def test_a_random_order_reaches_what_brute_force_reaches_under_a_fair_bound(bound: str, sample: Sample, seed: int) -> None:
    found = compare_sample(sample, "best-first:random", bound, seed=seed)
    assert not found.missing and not found.beyond


@pytest.mark.parametrize("priorities", ("pb", "dpor", "sleep", "sleep,dpor,random"))
@CALM
@given(sample=samples(), seed=seeds)
def test_every_priority_reaches_what_brute_force_reaches(priorities: str, sample: Sample, seed: int) -> None:
    found = compare_sample(sample, "best-first:" + priorities, "preemption:1", seed=seed)
    assert not found.missing and not found.beyond


@pytest.mark.parametrize("bound", ("preemption:1", "fair:1", "fair:0,preemption:1"))
@CALM
@given(sample=samples(max_operations=7), seed=seeds)
def test_without_reduction_every_schedule_within_the_bound_is_run_once(bound: str, sample: Sample, seed: int) -> None:
    found = compare_sample(sample, "best-first-all:dpor,random", bound, seed=seed)
    assert found.runs == (found.truth.schedules, 0)
    assert not found.missing and not found.beyond
