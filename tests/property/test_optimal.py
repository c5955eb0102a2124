"""Optimal DPOR runs exactly one execution per trace and none that is redundant; in other orders it misses nothing either."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bpor.search.optimal.order import ORDERS
from tests.property.named_search import compare_sample
from tests.property.random_programs import Sample, samples

CALM = settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True)


@CALM
@given(sample=samples())
def test_there_is_one_execution_per_trace_and_none_is_redundant(sample: Sample) -> None:
    found = compare_sample(sample, "optimal", "none")
    assert not found.missing
    assert found.result.counts.redundant == 0
    assert found.runs[0] == found.truth.traces == found.result.counts.distinct_traces


@CALM
@given(sample=samples(), order=st.sampled_from(sorted(set(ORDERS) - {"dfs"})))
def test_every_other_order_reaches_what_brute_force_reaches(sample: Sample, order: str) -> None:
    found = compare_sample(sample, "optimal:" + order, "none")
    assert not found.missing
    assert found.runs[0] == found.truth.traces
