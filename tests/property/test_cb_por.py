"""CB-POR runs exactly one complete execution per terminal happens-before graph within the bound, and misses no state."""

from __future__ import annotations

import pytest
from hypothesis import given

from bpor.search.bounds.grammar import parse_bound
from bpor.search.cb_por.state import State
from bpor.search.cb_por.states import States
from bpor.search.strategies.cb_por import CbPor
from bpor.simulate.notation import parse
from bpor.simulate.oracle import Oracle
from tests.property.calm import calm
from tests.property.named_search import OPTIONS, compare, compare_sample, run
from tests.property.random_programs import Sample, samples
from tests.property.trial import oracle_bound

CALM = calm(40)


@pytest.mark.parametrize("bound", ("preemption:0", "preemption:1", "preemption:2", "none"))
@CALM
@given(sample=samples())
def test_there_is_one_complete_execution_per_trace_within_the_bound(bound: str, sample: Sample) -> None:
    found = compare_sample(sample, "cb-por", bound)
    assert not found.missing and not found.beyond
    assert found.runs[0] == found.truth.traces
    assert found.result.counts.distinct_traces == found.truth.traces


@pytest.mark.parametrize("text", ["spawn 2; Wx | spawn 3; Wx | Rx | Rx; Wx", "spawn 2; join 2 | spawn 3; Rx | Wx | Wx; Wx"])
def test_threads_created_in_either_order_are_the_same_threads(text: str) -> None:
    """Their numbers are swapped, the graphs are equal."""
    found = compare(Oracle(parse(text)), "cb-por", "none")
    assert found.runs[0] == found.truth.traces
    assert not found.missing


def test_a_cheaper_way_that_is_found_late_opens_what_was_too_dear() -> None:
    """Without costs that spread on, the search misses states: the first way to a state is not always the cheapest."""

    class CostsStay(States):
        def _spread(self, origin: State, thread: int) -> None:
            step, target = origin.edges[thread]
            target.cost.setdefault(thread, origin.price(thread))
            if step.cuts or step.yields:
                target.cuts |= 1 << thread

    oracle, level = Oracle(parse("Wx; Wy; Rx | Wy; Rx; Wx | Rx; Ry")), parse_bound("preemption:1")
    expected = oracle.explore(oracle_bound(level)).coverage
    assert not run(oracle, CbPor(level, OPTIONS))[0].lacks(expected)
    mutant = CbPor(level, OPTIONS)
    assert mutant.search is not None
    mutant.search.states = CostsStay(1)
    assert run(oracle, mutant)[0].lacks(expected)
