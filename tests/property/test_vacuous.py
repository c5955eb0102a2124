"""A pass is of something: within any bound, of any kind, it rests on an execution that ended without a bug; and "all schedules" are all."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from bpor.checking import check_target
from bpor.report.result import Result
from bpor.report.verdict import VerdictKind
from bpor.search.bounds.bound import BoundKind
from bpor.settings import Settings
from tests.property.calm import calm
from tests.property.random_programs import Sample, samples
from tests.unit.test_api import Simulated

CALM = calm(60)


def checked(sample: Sample, bound: str) -> Result:
    return check_target(Simulated(sample.program).target, Settings(bound=bound, max_executions=500, max_steps=100, max_time=None))


@CALM
@given(
    sample=samples(max_operations=8),
    kind=st.sampled_from([kind for kind in BoundKind if kind is not BoundKind.STALE]),
    size=st.integers(0, 9),
)
def test_a_pass_within_any_bound_rests_on_an_execution_that_passed(sample: Sample, kind: BoundKind, size: int) -> None:
    result = checked(sample, f"{kind.value}:{size}")
    assert result.search is not None
    counts = result.search.counts
    if result.verdict.kind is VerdictKind.PASS:
        assert counts.passed > 0 and counts.cut == 0
    if result.verdict.kind is VerdictKind.PASS and result.verdict.reason.startswith("all schedules;"):
        everything = checked(sample, "none").search
        assert everything is not None
        if everything.exhausted:
            assert (counts.distinct_traces, counts.over_bound) == (everything.counts.distinct_traces, 0)
