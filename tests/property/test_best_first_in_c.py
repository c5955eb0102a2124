"""Best-first search in C runs the executions of the one in Python, in the same order; the oracle judges it; bent rules are noticed."""

from __future__ import annotations

import random

import pytest

from bpor.lazy_dataclass import replace
from bpor.search.best_first.library import LibraryOpen
from bpor.search.best_first.priority import parse_priorities
from bpor.search.bounds.grammar import parse_bound
from bpor.search.bounds.rules import rule_for
from bpor.search.options import SearchOptions
from bpor.search.registry import make_strategy
from bpor.search.tally import Tally
from bpor.simulate.action import object_name
from bpor.simulate.executor import SimulatedExecutor
from bpor.simulate.program import Program, Semantics
from bpor.simulate.programs import last_zero, philosophers, work_stealing_queue
from tests.property.engine_mutants import Mutant, built
from tests.property.open_mutants import BOUNDS, MUTANTS, notices
from tests.property.random_programs import from_random
from tests.property.test_optimal_in_c import schedules

_NAMES = (
    *("best-first:pb", "best-first:random", "best-first:dpor,pb", "best-first:sleep,random", "best-first:var:x,pb"),
    *("best-first:method:even,random", "best-first-all:dpor,random", "best-first-all:sleep,pb", "best-first-all:var:y,method:even"),
)
_BOUNDS = (*BOUNDS, "local-depth:4", "local-context:1", "local-preemption:1")


class Names:
    """Every second call site is in a function of its own name."""

    def functions(self, address: int) -> tuple[str, ...]:
        return ("even",) if address % 2 == 0 else ()

    def variable(self, identity: int) -> str:
        return object_name(identity)


def both(program: Program, semantics: Semantics, name: str, bound: str, seed: int = 0) -> bool | None:
    """Do both engines run the same executions, and count the same?"""
    strategies = [
        make_strategy(name, parse_bound(bound), SearchOptions(engine=engine, max_steps=200, naming=Names()), seed)
        for engine in ("python", "library")
    ]
    first, second = (schedules(strategy, SimulatedExecutor(program, semantics)) for strategy in strategies)
    return None if first is None else first == second and strategies[0].counts == strategies[1].counts


@pytest.mark.parametrize("name", _NAMES)
def test_both_engines_run_the_same_executions(name: str) -> None:
    source, compared = random.Random(_NAMES.index(name)), 0
    everything = name.startswith("best-first-all")
    while compared < 8:
        bound = source.choice(_BOUNDS[:6] if everything else _BOUNDS)
        sample = from_random(source, spinning="fair" in bound, max_operations=6 if everything else 9)
        same = both(sample.program, sample.semantics, name, bound, compared)
        assert same is not False, (sample, bound)
        compared += same is True


@pytest.mark.parametrize("program", [philosophers(3), last_zero(3), work_stealing_queue(2, 2, 1)], ids=lambda program: program.name)
def test_both_engines_run_the_same_executions_of_the_papers_programs(program: Program) -> None:
    assert both(program, Semantics(), "best-first:pb,random", "preemption:2")


def test_the_oracle_misses_nothing_whatever_the_order_with_known_steps_and_without() -> None:
    verdicts = [notices(None, seed, room=seed % 2 * 16) for seed in range(1, 60)]
    assert verdicts.count(False) > 50
    assert not any(verdicts)


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.name)
def test_a_bent_rule_is_noticed(mutant: Mutant) -> None:
    assert notices(built(mutant), mutant.seed)
    assert not notices(None, mutant.seed)


TIGHT = Mutant("there is little room", "", "open/search.c", "MOST_NODES = MAX_OPEN_NODES / 8 * 7", "MOST_NODES = 8", 0)


def test_a_search_that_is_short_of_room_goes_on_depth_first_and_misses_nothing() -> None:
    verdicts = [notices(built(TIGHT), seed) for seed in range(1, 16)]
    assert verdicts.count(False) > 10
    assert not any(verdicts)
    kept = {}
    for library in (None, built(TIGHT)):
        bound, executor = parse_bound("preemption:2"), SimulatedExecutor(last_zero(4))
        options = SearchOptions(engine="library", any_order=True)
        tree = LibraryOpen(bound, rule_for(bound), options, Tally(1 << 20), parse_priorities("pb", None, 0), 0, library)
        while (plan := tree.next_plan()) is not None:
            tree.learn(executor.run(plan))
        kept[library is None] = tree.most_nodes
    assert kept[False] < kept[True] / 2


@pytest.mark.parametrize("name", _NAMES)
def test_states_that_lie_on_disk_change_nothing(name: str) -> None:
    """With room for sixteen in memory: the same executions, in the same order, and the same counts."""
    source, everything = random.Random(name), name.startswith("best-first-all")
    trials = [(last_zero(3 if everything else 4), Semantics(), "preemption:1")]
    for _ in range(4):
        bound = source.choice(_BOUNDS[:6] if everything else _BOUNDS)
        sample = from_random(source, spinning="fair" in bound, max_operations=6 if everything else 10)
        trials.append((sample.program, sample.semantics, bound))
    for number, (program, semantics, bound) in enumerate(trials):
        options = SearchOptions(engine="library", max_steps=200, naming=Names(), known_steps=number % 2 == 1)
        strategies = [make_strategy(name, parse_bound(bound), replace(options, open_limit=limit), number) for limit in (0, 16)]
        plain, limited = (schedules(strategy, SimulatedExecutor(program, semantics)) for strategy in strategies)
        assert plain == limited, (program, bound)
        assert strategies[0].counts == strategies[1].counts
        assert number > 0 or everything or strategies[1].tree.shelved.written > 0


def test_a_state_on_disk_takes_a_third_of_what_it_takes_in_memory() -> None:
    options = SearchOptions(engine="library", open_limit=64, max_steps=400)
    strategy = make_strategy("best-first:random", parse_bound("preemption:2"), options, 0)
    executor = SimulatedExecutor(last_zero(5))
    while (plan := strategy.next_plan()) is not None:
        strategy.learn(executor.run(plan))
    shelved = strategy.tree.shelved
    assert shelved.written > 300 and 3 * shelved.bytes < shelved.plain_bytes
    assert strategy.tree.most_nodes < 128  # and one execution


@pytest.mark.parametrize("priorities", ["pb", "random", "dpor,sleep"])
def test_known_steps_leave_one_execution_for_each_trace(priorities: str) -> None:
    """But for those whose end nobody could have foreseen, which are few."""
    counts = {}
    for known in (False, True):
        options = SearchOptions(engine="library", known_steps=known)
        strategy = make_strategy("best-first:" + priorities, parse_bound("preemption:2"), options, 0)
        executor = SimulatedExecutor(philosophers(5))
        while (plan := strategy.next_plan()) is not None:
            strategy.learn(executor.run(plan))
        counts[known] = strategy.counts
    assert counts[True].distinct_traces == counts[False].distinct_traces
    assert counts[True].executions < 1.5 * counts[True].distinct_traces < counts[False].executions / 5
