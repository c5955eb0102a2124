"""The search that recognises states, judged by the whole graph: nothing within the bound is missed, no livelock is missed or made up."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from bpor.search.cycles import explored
from bpor.search.cycles.tree import MatchingTree
from bpor.search.options import SearchOptions
from bpor.simulate import looping
from bpor.simulate.automaton import automata
from bpor.simulate.graph import ProgramStates, whole_graph
from bpor.simulate.looping import EXAMPLES, Example
from tests.property import matching_mutants
from tests.property.calm import most_runs
from tests.property.engine_mutants import Mutant, built
from tests.property.loop_trial import STEPS, Judgement, explore, explore_in_c, judge
from tests.property.mutants import cycles
from tests.property.soak_loops import attempt

MUTANTS: tuple[tuple[type[MatchingTree], str], ...] = (
    (cycles.KnownFuturesRaceWithNothing, "E31"),
    (cycles.CyclesAreNotExpanded, "E32"),
    (cycles.OnlyTheHeadOfACycleIsExpanded, "E33"),
    (cycles.NodesForgetWhoRanLast, "E34"),
    (cycles.EntriesThatSpentMoreMatch, "E35"),
    (cycles.MatchesExceedNothing, "E36"),
    (cycles.RoundsAreCharged, "E37"),
    (cycles.SleepersStayAsleepOnCycles, "E38"),
    (cycles.SleepersOfAnEntryDoNotMatter, "E39"),
    (cycles.NodesForgetYields, "E41"),
)


def judged(example: Example, tree: type[MatchingTree] = MatchingTree) -> Judgement:
    states = ProgramStates(example.program)
    truth = whole_graph(states, example.preemption, example.fair)
    return judge(states, truth, whole_graph(states), explore(example.program, states, example.preemption, example.fair, tree=tree))


def judged_in_c(example: Example, library: Path | None = None, limit: int = 0) -> Judgement:
    states = ProgramStates(example.program)
    truth = whole_graph(states, example.preemption, example.fair)
    options = SearchOptions(max_steps=STEPS, match_limit=limit)
    found = explore_in_c(example.program, states, example.preemption, example.fair, options=options, library=library)
    return judge(states, truth, whole_graph(states), found)


@pytest.mark.parametrize("example", EXAMPLES, ids=str)
def test_a_counterexample_is_searched_completely(example: Example) -> None:
    assert judged(example).good
    assert judged_in_c(example).good


@pytest.mark.parametrize(("mutant", "erratum"), MUTANTS, ids=lambda value: getattr(value, "__name__", value))
def test_a_search_without_a_rule_misses_its_counterexample(mutant: type[MatchingTree], erratum: str) -> None:
    example = next(each for each in EXAMPLES if each.erratum == erratum)
    assert not judged(example, mutant).good


@pytest.mark.parametrize("mutant", matching_mutants.MUTANTS, ids=lambda mutant: mutant.rule)
def test_the_c_engine_without_a_rule_misses_its_counterexample(mutant: Mutant) -> None:
    examples = [each for each in EXAMPLES if each.erratum == mutant.rule]
    assert not all(judged_in_c(example, built(mutant)).good for example in examples)


def test_a_loop_that_polls_under_a_mutex_is_no_livelock() -> None:
    """Erratum E40: its setter is disabled now and then, so it is not enabled all along, and yet it is kept from stepping."""
    program = automata(looping.GOOD_SAMARITAN)
    assert explore(program, ProgramStates(program)).livelocks == []


def test_a_judge_that_asks_for_weak_fairness_makes_up_a_livelock(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(explored, "fair_components", cycles.weakly_fair_components)
    program = automata(looping.GOOD_SAMARITAN)
    states = ProgramStates(program)
    truth = whole_graph(states)
    assert judge(states, truth, truth, explore(program, states)).false_livelocks


def test_random_programs_are_searched_completely() -> None:
    for seed in range(most_runs(20)):
        assert attempt(seed) in (None, "")


def test_a_table_that_forgets_loses_nothing() -> None:
    source = random.Random(1)
    for example in EXAMPLES:
        states = ProgramStates(example.program)
        truth = whole_graph(states, example.preemption, example.fair)
        capacity = source.choice((1, 2, 5))
        found = explore(example.program, states, example.preemption, example.fair, capacity=capacity)
        assert judge(states, truth, whole_graph(states), found).good, (example, capacity)
        assert judged_in_c(example, limit=capacity).good, (example, capacity)


# Executions and new steps, without a bound and with two preemptions. Unbounded they are those of the search's specification, which had
# the same model but for four things: a try that succeeds forgets the last failed one there (so polite and spin have fewer states), a signal
# wakes the lowest waiter (thread pool), the gate of the readers is a mutex that anybody may open, and the flags `ch` of the bakery are up
# at first; and it had no release optimisation (thread pool 203, readers and writers 59 without it). With two preemptions ours differ a
# little, because it learns where leaving a thread is free only when the round closes.
COUNTS = {
    "polite 2": (looping.polite(2), (50, 127), (75, 193)),
    "flags without yields": (looping.flags(), (76, 190), (97, 277)),
    "spin lock 3 with yields": (looping.spinlock(3), (276, 547), (429, 823)),
    "spin lock 3 bare": (looping.spinlock(3, False), (135, 303), (201, 419)),
    "ticket lock 3 with yields": (looping.ticket(3), (525, 984), (773, 1443)),
    "ticket lock 3 bare": (looping.ticket(3, False), (249, 503), (359, 716)),
    "seqlock with 2 readers": (looping.seqlock(2), (280, 740), (216, 707)),
    "queue with yields": (looping.queue(), (50, 181), (48, 187)),
    "queue bare": (looping.queue(False), (14, 101), (14, 101)),
    "Peterson": (looping.peterson(), (44, 143), (73, 212)),
    "Dekker": (looping.dekker(), (36, 108), (51, 149)),
    "bakery": (looping.bakery(), (73, 319), (114, 479)),
    "good samaritan": (looping.GOOD_SAMARITAN, (2, 9), (2, 9)),
    "thread pool 2": (looping.pool(2), (201, 1118), (154, 979)),
    "readers and writers 2+2": (looping.readers_writers(2, 2), (51, 606), (112, 1084)),
    "mutex counter 4x2, dead values cleared": (looping.counter(4, 2, clearing=True), (137, 864), (244, 1187)),
}
LIVELOCKS = {"polite 2", "flags without yields"}


@pytest.mark.parametrize("name", COUNTS)
def test_classics_take_so_many_executions(name: str) -> None:
    text, *expected = COUNTS[name]
    program = automata(text, modulus=64, g=1)
    states = ProgramStates(program)
    whole_graph(states)
    for preemption, counts in zip((None, 2), expected, strict=True):
        found = explore(program, states, preemption)
        assert (found.executions, found.steps) == counts
        assert explore_in_c(program, states, preemption) == found
        assert bool(found.livelocks) == (name in LIVELOCKS)


def test_dead_values_tell_states_apart() -> None:
    """What a thread read and will not look at again: with it nothing is recognised."""
    program = automata(looping.counter(3, 2), modulus=64)
    found = explore(program, ProgramStates(program))
    assert found.matched == 0
    cleared = automata(looping.counter(3, 2, clearing=True), modulus=64)
    assert explore(cleared, ProgramStates(cleared)).executions < found.executions / 2
