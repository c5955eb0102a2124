"""Cartesian reduction reaches every local state and every deadlock: over true states (loops included) and over happens-before graphs."""

from __future__ import annotations

from collections.abc import Hashable

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from bpor.model.trace import Outcome
from bpor.search.cartesian.explore import explore
from bpor.simulate.coverage import Coverage
from bpor.simulate.notation import parse
from bpor.simulate.program import Program
from bpor.simulate.programs import file_system, indexer, philosophers, spinners
from bpor.simulate.space import SimulatedSpace, count_states
from tests.property.named_search import compare_sample
from tests.property.random_programs import Sample, samples

CALM = settings(max_examples=100, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True)
MOST = 1_500


def without_idle_timeouts(sample: Sample) -> bool:
    """Whether a state is idle is a matter of all threads: no prefix of one thread alone can tell."""
    return sample.semantics.explore_timeouts or "timed" not in sample.text


def deadlocks_of(space: SimulatedSpace) -> set[Hashable]:
    """By search without reduction, which also fills space.local."""
    waiting = [space.initial()]
    covered: set[Hashable] = set()
    found: set[Hashable] = set()
    while waiting:
        state = waiting.pop()
        key = space.key(state)
        if key not in covered:
            covered.add(key)
            assume(len(covered) <= MOST)
            if space.is_deadlock(state):
                found.add(key)
            waiting += space.successors(state)
    return found


@CALM
@given(sample=st.one_of(samples(), samples(spinning=True)))
def test_every_local_state_and_every_deadlock_is_reached(sample: Sample) -> None:
    assume(without_idle_timeouts(sample))
    program = sample.program
    full = SimulatedSpace(program, sample.semantics)
    deadlocks = deadlocks_of(full)
    reduced = SimulatedSpace(program, sample.semantics, unrolling=full.unrolling)
    found = explore(reduced)
    assert {reduced.key(state) for state in found.deadlocks} == deadlocks
    assert full.local <= reduced.local
    published = SimulatedSpace(program, sample.semantics, unrolling=full.unrolling)
    assert explore(published, deadlocks=False).states <= found.states
    assert full.local <= published.local


def test_without_the_states_after_ends_a_deadlock_is_missed() -> None:
    """Erratum E17."""
    program = parse("Wx | sem_wait")
    assert len(explore(SimulatedSpace(program)).deadlocks) == 1
    assert explore(SimulatedSpace(program), deadlocks=False).deadlocks == []


@CALM
@given(sample=samples())
def test_over_an_executor_every_local_state_and_every_deadlock_is_reached(sample: Sample) -> None:
    assume(without_idle_timeouts(sample))
    found = compare_sample(sample, "cartesian", "none")
    assert not (found.missing.local or found.missing.local_values)
    assert _deadlocks(found.truth.coverage) == _deadlocks(found.coverage)


def _deadlocks(coverage: Coverage) -> set[object]:
    return {trace for outcome, trace in coverage.final if outcome is Outcome.DEADLOCK}


@pytest.mark.parametrize(
    ("program", "states", "transitions"),
    [(indexer(11), 1, 44), (indexer(12), 9, 390), (indexer(13), 81, 3456), (file_system(13), 1, 104), (file_system(14), 9, 934)],
    ids=lambda value: value.name if isinstance(value, Program) else "",
)
def test_the_published_search_takes_as_many_states_as_it_should(program: Program, states: int, transitions: int) -> None:
    """Table 1 of the paper: indexer 1, 9, 81 states and 44, 394, 3528 transitions; file system 1, 10 and 104, 1026."""
    found = explore(SimulatedSpace(program), deadlocks=False)
    assert (found.states, found.transitions) == (states, transitions)


def test_it_takes_fewer_states_than_a_search_without_reduction() -> None:
    plain, _, finished = count_states(SimulatedSpace(philosophers(4)))
    assert finished and explore(SimulatedSpace(philosophers(4)), deadlocks=False).states < plain


def test_threads_that_spin_have_finitely_many_states() -> None:
    assert explore(SimulatedSpace(spinners())).finished
    states, _, finished = count_states(SimulatedSpace(parse("while Rx; until Ry | Wy")))
    assert finished and states < 30
