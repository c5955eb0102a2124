"""The engine and the reference search run the same executions: equal numbers of complete and of wasted runs, for every option.

Two implementations that share no code, one incremental and driven by plans, one recursive on copied worlds.
"""

from __future__ import annotations

import pytest
from hypothesis import assume, given

from bpor.search.options import SearchOptions
from bpor.simulate.oracle import Oracle
from tests.property.calm import calm, most_runs
from tests.property.random_programs import Sample, samples
from tests.property.reference import Options, Reference, TooLong
from tests.property.trial import Unfinished, search

BOUNDS: dict[str, tuple[int | None, int | None]] = {
    "none": (None, None),
    "preemption:0": (0, None),
    "preemption:1": (1, None),
    "preemption:2": (2, None),
    "fair:0": (None, 0),
    "fair:1": (None, 1),
    "fair:0,preemption:1": (1, 0),
    "fair:1,preemption:1": (1, 1),
}
OPTIONS = {
    "all": (SearchOptions(max_steps=150), Options()),
    "no sleep sets": (SearchOptions(sleep_sets=False, max_steps=150), Options(sleep=False)),
    "no bound optimisation": (SearchOptions(bound_optimisation=False, max_steps=150), Options(bound_optimisation=False)),
}
CALM = calm(25)


@pytest.mark.parametrize("options", OPTIONS)
@pytest.mark.parametrize("bound", BOUNDS)
@CALM
@given(sample=samples())
def test_engine_and_reference_run_the_same_executions(bound: str, options: str, sample: Sample) -> None:
    engine_options, reference_options = OPTIONS[options]
    oracle = Oracle(sample.program, sample.semantics)
    reference = Reference(oracle, *BOUNDS[bound], reference_options, max_runs=most_runs(250))
    try:
        expected = reference.explore()
        found = search(oracle, bound, engine_options, max_executions=most_runs(400))
    except (TooLong, Unfinished):
        assume(False)
        raise
    assert (found.coverage.complete_runs, found.coverage.other_runs) == (expected.complete_runs, expected.other_runs)
    assert found.coverage.final == expected.final and found.coverage.local == expected.local
