"""Cartesian reduction reaches every local state and every deadlock: over true states (loops included) and over happens-before graphs."""

from __future__ import annotations

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from bpor.search.cartesian import explore as cartesian_explore
from bpor.search.cartesian.explore import explore
from bpor.simulate.notation import parse
from bpor.simulate.oracle import TooManyPrefixes
from bpor.simulate.program import Program
from bpor.simulate.programs import file_system, indexer, philosophers, spinners
from bpor.simulate.space import SimulatedSpace, count_states
from tests.property.calm import calm
from tests.property.exact_space import unreached, unreached_by_executions, without_idle_timeouts
from tests.property.named_search import compare_sample, deadlocks
from tests.property.random_programs import Sample, samples

CALM = calm(50)


@st.composite
def circling(draw: st.DrawFn) -> Sample:
    """Threads that go round until another one lets them go, and may do so for ever."""
    words = ["Rx", "Ry", "Wx", "Wx 0", "Wy", "Wy 0", "while Rx", "while Ry", "until Rx", "until trylock", "unlock", "if Wy", "Rx; assert"]
    bodies = [draw(st.lists(st.sampled_from(words), min_size=1, max_size=4)) for _ in range(draw(st.integers(2, 3)))]
    return Sample(" | ".join("; ".join(body) for body in bodies))


@pytest.mark.parametrize("concurrent", [False, True], ids=["apart", "together"])
@CALM
@given(sample=st.one_of(samples(), samples(spinning=True), circling()))
def test_every_local_state_and_every_deadlock_is_reached(sample: Sample, concurrent: bool) -> None:
    """Failed assertions are local states: what a thread read, and that it failed."""
    assume(without_idle_timeouts(sample))
    try:
        assert unreached(sample.program, sample.semantics, concurrent) == 0
    except TooManyPrefixes:
        assume(False)


@CALM
@given(sample=st.one_of(samples(), circling()))
def test_the_search_as_published_reaches_every_local_state(sample: Sample) -> None:
    assume(without_idle_timeouts(sample))
    try:
        assert unreached(sample.program, sample.semantics, deadlocks=False) == 0
    except TooManyPrefixes:
        assume(False)


def missed(text: str) -> int:
    return unreached(parse(text), concurrent=True)


def test_moves_together_that_others_may_notice_later_miss_states(monkeypatch: pytest.MonkeyPatch) -> None:
    """That the moves before the last ones commute with each other is not enough: the first thread writes y only after its last one."""
    text = "Wa; Wx; Wy | Ry; Wx"
    assert missed(text) == 0
    monkeypatch.setattr(cartesian_explore._Search, "_futures", lambda search, state: {})
    assert missed(text) > 0


def test_what_was_noticed_after_all_is_repaired(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "Rx; barrier e 2; RMWy | barrier e 2; Rx | CAS y; if W x"
    assert missed(text) == 0
    assert explore(SimulatedSpace(parse(text)), concurrent=True).repaired > 0
    monkeypatch.setattr(cartesian_explore._Search, "repair", lambda search: False)
    assert missed(text) > 0


def test_a_deadlock_met_by_moves_together_shows_what_its_threads_wanted() -> None:
    """The second thread is never seen to run before the first one's moves are made: that it would have noticed shows where it waits."""
    sample = Sample("trywrlock; spawn 2; join 2 | wrlock; wrunlock | rdlock", with_main=True)
    assert unreached(sample.program, concurrent=True) == 0


@pytest.mark.parametrize("program", [indexer(12), indexer(13), file_system(14), file_system(15)], ids=lambda program: program.name)
def test_moves_together_save_states_where_most_threads_have_objects_of_their_own(program: Program) -> None:
    assert explore(SimulatedSpace(program), concurrent=True).states < explore(SimulatedSpace(program)).states


def test_without_the_states_after_ends_a_deadlock_is_missed() -> None:
    """Erratum E17."""
    program = parse("Wx | sem_wait")
    assert len(explore(SimulatedSpace(program)).deadlocks) == 1
    assert explore(SimulatedSpace(program), deadlocks=False).deadlocks == []


@CALM
@given(sample=samples())
def test_over_an_executor_every_local_state_and_every_deadlock_is_reached(sample: Sample) -> None:
    assume(without_idle_timeouts(sample))
    found = compare_sample(sample, "cartesian:happens-before", "none")
    assert not (found.missing.local or found.missing.local_values)
    assert deadlocks(found.truth.coverage) == deadlocks(found.coverage)


@CALM
@given(sample=st.one_of(samples(), samples(spinning=True), circling()))
def test_over_an_executor_that_identifies_states_every_local_state_and_every_deadlock_is_reached(sample: Sample) -> None:
    assume(without_idle_timeouts(sample))
    try:
        assert unreached_by_executions(sample.program, sample.semantics) == 0
    except TooManyPrefixes:
        assume(False)


@pytest.mark.parametrize("text", ["; ".join(["Wx"] * 70) + "; Wy | Ry", "Ry; if Wx | " + "; ".join(["RMWz"] * 300) + "; Wy"])
def test_runs_that_are_longer_than_the_first_reach_are_gone_on_with(text: str) -> None:
    assert unreached_by_executions(parse(text)) == 0


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


@pytest.mark.parametrize("engine", ["python", "library"])
def test_a_run_is_not_cut_where_the_thread_that_was_made_goes_round(engine: str) -> None:
    """The thread that is followed has told all it does: it waits for the one that it made."""
    sample = Sample("lock m; R x; spawn 2; join 2 | until trylock m; W x | until sem_trywait", with_main=True)
    assert unreached_by_executions(sample.program, sample.semantics, engine) == 0
