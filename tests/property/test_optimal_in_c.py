"""Optimal search in C runs the executions of the one in Python, in the same order; the oracle judges it; bent rules are noticed."""

from __future__ import annotations

import random

import pytest

from bpor.model.executor import Executor
from bpor.model.trace import Trace
from bpor.search.options import SearchOptions
from bpor.search.registry import make_strategy
from bpor.search.strategies.optimal import Optimal
from bpor.search.strategy import Strategy
from bpor.simulate.executor import SimulatedExecutor
from bpor.simulate.notation import parse
from bpor.simulate.oracle import Oracle
from bpor.simulate.program import Program, Semantics
from bpor.simulate.programs import indexer, philosophers, work_stealing_queue
from tests.property.engine_mutants import Mutant, built
from tests.property.exact_space import without_idle_timeouts
from tests.property.optimal_mutants import BY_HAND, MUTANTS, is_wrong, notices
from tests.property.random_programs import from_random

_NAMES = ("optimal", "optimal:bit-reversal", "optimal:round-robin", "optimal:stride", "optimal:conflict-first")
_MOST = 400


def schedules(strategy: Strategy, executor: Executor) -> list[tuple[int, ...]] | None:
    """Of every execution, questions included; None: there are too many."""
    found: list[tuple[int, ...]] = []
    while (plan := strategy.next_plan()) is not None:
        trace: Trace = executor.run(plan)
        found.append((*plan.prefix[: trace.first], *(step.thread for step in trace.steps)))
        strategy.learn(trace)
        if len(found) > _MOST:
            return None
    return found


def both(program: Program, semantics: Semantics, name: str) -> bool | None:
    """Do both engines run the same executions, and count the same?"""
    strategies = [make_strategy(name, None, SearchOptions(engine=engine, max_steps=200)) for engine in ("python", "library")]
    first, second = (schedules(strategy, SimulatedExecutor(program, semantics)) for strategy in strategies)
    return None if first is None else first == second and strategies[0].counts == strategies[1].counts


@pytest.mark.parametrize("name", _NAMES)
def test_both_engines_run_the_same_executions(name: str) -> None:
    source, compared = random.Random(_NAMES.index(name)), 0
    while compared < 16:
        sample = from_random(source, max_operations=9)
        if without_idle_timeouts(sample):
            same = both(sample.program, sample.semantics, name)
            assert same is not False, sample
            compared += same is True


@pytest.mark.parametrize("program", [philosophers(4), indexer(12), work_stealing_queue(2, 2, 1)], ids=lambda program: program.name)
def test_both_engines_run_the_same_executions_of_the_papers_programs(program: Program) -> None:
    assert both(program, Semantics(), "optimal")


def test_the_oracle_misses_nothing_and_finds_each_trace_once() -> None:
    """Of random programs, in every order; one that is not exact in the order of the paper is wrong too."""
    verdicts = [notices(None, seed) for seed in range(1, 90)]
    assert verdicts.count(False) > 40
    assert not any(verdicts)


def test_indexer_14_takes_one_execution_for_each_of_its_traces() -> None:
    """512; depth-first search with sleep sets takes 12,860."""
    strategy = make_strategy("optimal", None, SearchOptions(engine="library"))
    executor = SimulatedExecutor(indexer(14))
    while (plan := strategy.next_plan()) is not None:
        strategy.learn(executor.run(plan))
    counts = strategy.counts
    assert (counts.executions, counts.distinct_traces, counts.redundant) == (512, 512, 0)


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.name)
def test_a_bent_rule_is_noticed(mutant: Mutant) -> None:
    assert notices(built(mutant), mutant.seed)
    assert not notices(None, mutant.seed)


@pytest.mark.parametrize(("text", "order", "mutant"), BY_HAND, ids=lambda value: value.name if isinstance(value, Mutant) else "")
def test_a_bent_rule_is_noticed_by_a_program_made_for_it(text: str, order: str, mutant: Mutant) -> None:
    oracle = Oracle(parse(text))
    assert is_wrong(oracle, order, built(mutant))
    assert not is_wrong(oracle, order, None)


@pytest.mark.parametrize("text", ["sem_timedwait; Wx | Wx", "Wx | lock; timedwait; unlock"])
def test_a_program_whose_waits_time_out_is_left_to_the_search_in_python(text: str) -> None:
    """`bpor-native` then searches it there (bpor.errors.EngineUnfit)."""
    strategy = Optimal(SearchOptions(engine="library"))
    executor = SimulatedExecutor(parse(text))
    with pytest.raises(Exception, match="does not know waits that time out"):
        for _ in range(10):
            plan = strategy.next_plan()
            assert plan is not None
            strategy.learn(executor.run(plan))


def test_a_question_is_not_counted_as_an_execution() -> None:
    strategy, plans = make_strategy("optimal", None, SearchOptions(engine="library")), []
    executor = SimulatedExecutor(parse("post | Ry; sem_wait", s=0))
    while (plan := strategy.next_plan()) is not None:
        plans.append(plan)
        strategy.learn(executor.run(plan))
    assert (len(plans), strategy.counts.executions, strategy.counts.asked) == (2, 1, 1)
