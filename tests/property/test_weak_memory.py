"""Weak memory on simulated programs: the classical outcomes show exactly where they should, and no schedule or value is lost."""

from __future__ import annotations

import random
import statistics

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from bpor.search.bounds.grammar import parse_bound
from bpor.search.options import SearchOptions
from bpor.simulate.litmus import LITMUS, Litmus
from bpor.simulate.notation import parse
from bpor.simulate.oracle import Oracle, TooManyPrefixes
from bpor.simulate.program import Semantics
from bpor.simulate.weak.memory import WeakMemory
from tests.property.axioms import TooMany, outcomes
from tests.property.calm import calm
from tests.property.random_atomics import atomics, bent, generate, waiting
from tests.property.store_buffers import finals
from tests.property.trial import Unfinished, oracle_bound, search
from tests.property.weak_trial import reach, shows

MODELS = ("sc", "tso", "c11")
BOUNDS = ("none", "preemption:0", "preemption:1", "fair:1,preemption:1", "stale:1", "stale:1,preemption:1", "stale:0,preemption:1")
CALM = calm(10)


@pytest.mark.parametrize("litmus", LITMUS, ids=lambda litmus: litmus.name)
def test_a_litmus_test_shows_its_outcome_in_the_models_that_allow_it(litmus: Litmus) -> None:
    reached = [reach(litmus.program, model) for model in MODELS]
    assert tuple(model for model, found in zip(MODELS, reached, strict=True) if shows(litmus, found.outcomes)) == litmus.shown
    if litmus.executions is not None:
        assert tuple(found.complete for found in reached) == litmus.executions
    appended = reach(litmus.program, "c11", placing=False)
    assert shows(litmus, appended.outcomes) == ("c11" in litmus.shown and not litmus.placed)


def missed(text: str, memory: str, bound: str, placing: bool = True) -> set[object]:
    """Final values, with who read from whom, that only brute force reaches, or only the search."""
    oracle = Oracle(parse(text), Semantics(memory=memory, placing=placing), max_prefixes=10_000)
    truth = oracle.explore_values(oracle_bound(parse_bound(bound)))
    found = search(oracle, bound, SearchOptions(engine="library", max_steps=400), max_executions=2_000)
    second = search(oracle, bound, SearchOptions(max_steps=400), max_executions=2_000)
    assert found.result.counts == second.result.counts and found.coverage.final_values == second.coverage.final_values
    assert not truth.coverage.local_values - found.coverage.local_values
    return truth.coverage.final_values ^ found.coverage.final_values


@pytest.mark.parametrize("bound", BOUNDS)
@pytest.mark.parametrize("memory", ("tso", "c11"))
@CALM
@given(text=st.one_of(atomics(), bent()))
def test_the_search_reaches_what_brute_force_reaches(memory: str, bound: str, text: str) -> None:
    try:
        assert not missed(text, memory, bound)
    except (TooManyPrefixes, Unfinished):
        assume(False)


@pytest.mark.parametrize("bound", ["fair:1", "fair:1,preemption:1", "stale:1,fair:1"])
@calm(5)
@given(text=waiting(), memory=st.sampled_from(("tso", "c11")))
def test_the_search_reaches_what_brute_force_reaches_where_threads_wait_in_loops(bound: str, text: str, memory: str) -> None:
    try:
        assert not missed(text, memory, bound)
    except (TooManyPrefixes, Unfinished):
        assume(False)


@CALM
@given(text=atomics(locks=True))
def test_the_search_reaches_what_brute_force_reaches_beside_locks(text: str) -> None:
    try:
        assert not missed(text, "c11", "none")
        assert not missed(text, "c11", "preemption:1", placing=False)
    except (TooManyPrefixes, Unfinished):
        assume(False)


@CALM
@given(text=st.one_of(atomics(), atomics(locks=True), bent()))
def test_c11_is_what_the_axioms_allow(text: str) -> None:
    try:
        assert reach(parse(text), "c11").outcomes == outcomes(text)
    except TooMany:
        assume(False)


@pytest.mark.parametrize("litmus", LITMUS, ids=lambda litmus: litmus.name)
def test_a_litmus_test_does_what_the_axioms_allow(litmus: Litmus) -> None:
    assert reach(litmus.program, "c11").outcomes == outcomes(litmus.text)


@CALM
@given(text=st.one_of(atomics(), bent()))
def test_tso_is_what_store_buffers_do(text: str) -> None:
    buffered = finals(parse(text))
    assume(buffered is not None)
    assert buffered is not None
    expected = {(reads, frozenset((number, value) for number, value in memory if value)) for reads, memory in buffered}
    found = reach(parse(text), "tso").outcomes
    assert len(found) == len(expected) and {reads for reads, _ in found} == {reads for reads, _ in expected}


@CALM
@given(text=atomics())
def test_where_all_is_sequentially_consistent_weak_memory_makes_no_difference(text: str) -> None:
    strong = text
    for order in ("rlx", "acq", "rel", "ar"):
        strong = strong.replace("." + order, ".sc")
    plain = reach(parse(strong), "sc")
    for memory in ("tso", "c11"):
        weak = reach(parse(strong), memory)
        assert weak.outcomes == plain.outcomes and weak.result.executions == plain.result.executions


def test_an_execution_for_each_graph_is_nearly_all_it_takes() -> None:
    """The same of more and larger programs, and of litmus tests: benchmarks/weak_graphs.py."""
    source, ratios = random.Random(1), []
    for _ in range(40):
        found = reach(parse(generate(source.randint, 8)), "c11", engine="library")
        ratios.append(found.complete / len(found.graphs))
    assert statistics.geometric_mean(ratios) <= 1.05


def test_without_the_filter_graphs_are_explored_twice_and_tso_shows_too_much() -> None:
    """W1."""
    everything = Semantics(memory="c11", offer_all=True)
    oracle = Oracle(parse("Wx.rlx 1 | Rx.rlx"), everything)
    assert search(oracle, "none", SearchOptions(max_steps=400)).result.executions == 3
    assert reach(parse("Wx.rlx 1 | Rx.rlx"), "c11").result.executions == 2


def test_an_access_is_truly_weak_also_by_what_the_store_follows(monkeypatch: pytest.MonkeyPatch) -> None:
    """W2: by what its thread follows alone, an outcome is lost."""
    text = "Ry.rlx; Wx.rlx 1 | Wx.rlx 2; Wy.rlx 1 | Rx.rlx"
    assert not missed(text, "c11", "none")

    def by_the_thread_alone(self: WeakMemory, state: object, atomic: object, history: object, position: int) -> bool:
        from bpor.simulate.weak.memory import _covers

        return any(_covers(state.causal, newer.who) for newer in history[position + 1 :])  # type: ignore[attr-defined, index]

    monkeypatch.setattr(WeakMemory, "_truly_weak", by_the_thread_alone)
    assert missed(text, "c11", "none")
