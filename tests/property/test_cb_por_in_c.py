"""CB-POR in C: one complete execution per terminal graph within the bound, as in Python; the oracle judges it; bent rules are noticed."""

from __future__ import annotations

import pytest

from bpor.search.bounds.grammar import parse_bound
from bpor.search.budget import Budget
from bpor.search.explorer import Explorer
from bpor.search.options import SearchOptions
from bpor.search.result import SearchResult
from bpor.search.strategies.cb_por import CbPor
from bpor.simulate.executor import SimulatedExecutor
from bpor.simulate.notation import parse
from bpor.simulate.oracle import Oracle
from bpor.simulate.program import Program
from bpor.simulate.programs import last_zero, mutex_counter, philosophers, readers_and_writer, work_stealing_queue
from tests.property.engine_mutants import Mutant, built
from tests.property.graphs_mutants import MUTANTS, notices
from tests.property.named_search import compare


def search(program: Program, bound: str, engine: str, max_steps: int = 400) -> SearchResult:
    strategy = CbPor(parse_bound(bound), SearchOptions(engine=engine, max_steps=max_steps))
    return Explorer(SimulatedExecutor(program), strategy, Budget(max_executions=5_000, max_findings=None)).run()


@pytest.mark.parametrize("bound", ["none", "preemption:1", "preemption:0..2"])
@pytest.mark.parametrize(
    "program",
    [philosophers(4), last_zero(4), mutex_counter(3), readers_and_writer(3), work_stealing_queue(2, 2, 1)],
    ids=lambda one: one.name,
)
def test_both_engines_count_the_same(program: Program, bound: str) -> None:
    first, second = (search(program, bound, engine) for engine in ("python", "library"))
    assert second.counts.complete == first.counts.complete
    assert second.counts.redundant <= first.counts.redundant
    assert second.counts.distinct_traces == first.counts.distinct_traces
    assert [(level.bound, level.refused, level.whole) for level in second.levels] == [
        (level.bound, level.refused, level.whole) for level in first.levels
    ]
    assert second.exhausted


def test_the_oracle_finds_one_complete_execution_for_each_trace() -> None:
    verdicts = [notices(None, seed) for seed in range(1, 70)]
    assert verdicts.count(False) > 60
    assert not any(verdicts)


def test_of_the_philosophers_one_execution_is_in_vain() -> None:
    counts = search(philosophers(5), "none", "library").counts
    assert (counts.complete, counts.redundant, counts.distinct_traces) == (31, 1, 31)


@pytest.mark.parametrize("text", ["spawn 2; Wx | spawn 3; Wx | Rx | Rx; Wx", "spawn 2; join 2 | spawn 3; Rx | Wx | Wx; Wx"])
def test_threads_created_in_either_order_are_the_same_threads(text: str) -> None:
    """Their numbers are swapped, the graphs are equal."""
    found = compare(Oracle(parse(text)), "cb-por", "none", SearchOptions(engine="library", max_steps=400))
    assert found.runs[0] == found.truth.traces
    assert not found.missing


def test_an_execution_that_was_cut_is_not_run_again() -> None:
    program = parse("Wx; Wy; Wx; Wy; Wx | Ry; Rx; Ry")
    first, second = (search(program, "none", engine, max_steps=5) for engine in ("python", "library"))
    assert second.exhausted and second.counts.cut == first.counts.cut > 0
    assert second.executions <= first.executions


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.name)
def test_a_bent_rule_is_noticed(mutant: Mutant) -> None:
    assert notices(built(mutant), mutant.seed)
    assert not notices(None, mutant.seed)
