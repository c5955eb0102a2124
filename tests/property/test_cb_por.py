"""CB-POR runs exactly one complete execution per terminal happens-before graph within the bound, and misses no state."""

from __future__ import annotations

import pytest
from hypothesis import given

from bpor.errors import Diverged
from bpor.model.step import Step
from bpor.search.bounds.grammar import parse_bound
from bpor.search.budget import Budget
from bpor.search.cb_por.search import GraphSearch
from bpor.search.cb_por.state import CbPorState
from bpor.search.cb_por.states import States
from bpor.search.explorer import Explorer
from bpor.search.strategies.cb_por import CbPor
from bpor.simulate.executor import SimulatedExecutor
from bpor.simulate.notation import parse
from bpor.simulate.oracle import Oracle
from bpor.simulate.programs import philosophers
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
        def _spread(self, origin: CbPorState, thread: int) -> None:
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


@pytest.mark.parametrize(("bound", "size", "redundant"), [("none", 3, 1), ("none", 5, 1), ("preemption:1", 4, 1)])
def test_hardly_an_execution_of_the_philosophers_is_in_vain(bound: str, size: int, redundant: int) -> None:
    """688 of 719 were, of five without a bound, when states that no execution had been to were not walked through."""
    found = Explorer(SimulatedExecutor(philosophers(size)), CbPor(parse_bound(bound), OPTIONS), Budget(max_findings=None)).run()
    assert found.counts.complete == found.counts.distinct_traces == 2**size - 1
    assert found.counts.redundant == redundant


def test_a_try_that_wrote_is_no_prediction_where_somebody_has_read() -> None:
    """Taken for one, the walk goes to a state that does not exist, and the next execution does not come there."""
    text = "tryrdlock; if rdunlock; trywrlock; if wrunlock | tryrdlock; if rdunlock; rdlock"
    found = compare(Oracle(parse(text)), "cb-por", "none")
    assert not found.missing and found.runs[0] == found.truth.traces


def test_who_can_go_on_is_not_learned_from_a_process_that_has_ended() -> None:
    """There nobody can, whatever they wait for."""

    class Mutant(GraphSearch):
        def _advance(self, told: Step, enabled: int, timed: int, alive: bool = True) -> None:
            super()._advance(told, enabled, timed, True)

    oracle, level = Oracle(parse("exit | lock m | post | Ry; assert")), parse_bound("none")
    expected = oracle.explore(oracle_bound(level)).coverage
    assert not run(oracle, CbPor(level, OPTIONS))[0].lacks(expected)
    mutant = CbPor(level, OPTIONS)
    mutant.search = Mutant(level, OPTIONS, mutant.total)
    with pytest.raises(Diverged, match="enabled"):
        run(oracle, mutant)
