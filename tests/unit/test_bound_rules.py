"""The bounds in the tree, on programs small enough to count by hand."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from bpor.model.policy import passed_over
from bpor.search.bounds import parse_bound
from bpor.search.bounds.rules import rule_for
from bpor.simulate import bounds as truth
from bpor.simulate.coverage import Missing
from bpor.simulate.oracle import Oracle
from bpor.simulate.program import Program
from bpor.simulate.programs import philosophers, work_stealing_queue
from tests.unit.search_runs import runs, search


@pytest.mark.parametrize(
    ("text", "bound", "traces"),
    [
        ("Wx | Wx", "preemption:0", 2),
        ("Rx; Wx | Rx; Wx", "preemption:0", 2),
        ("Rx; Wx | Rx; Wx", "preemption:1", 4),
        ("Wx | Wx | Wx", "context:2", 6),
        ("Rx; Wx | Rx; Wx", "context:1", 2),
        ("Rx; Wx | Rx; Wx", "context:2", 4),
        ("Wx | Wx | Wx", "delta:0", 1),
        ("Wx | Wx | Wx", "delta:1", 3),
        ("5*yield; Wd | Rd", "fair:2", 1),
        ("5*yield; Wd | Rd", "fair:5", 2),
    ],
)
def test_a_bound_lets_through_what_it_counts(text: str, bound: str, traces: int) -> None:
    result = search(text, bound)
    assert result.exhausted
    assert result.counts.distinct_traces == traces


def test_a_switch_after_a_yield_and_away_from_a_blocked_thread_is_free() -> None:
    assert search("Wx; yield; Wx | Wx; yield; Wx", "preemption:0").counts.distinct_traces == 6
    assert search("sem_wait; Wx | post; Wx", "preemption:0").counts.distinct_traces == 1


def test_a_depth_bound_cuts_nothing_that_counts_as_a_cut() -> None:
    result = search("Wx; Wx; Wx | Wx; Wx", "depth:3")
    assert runs(result) == (0, 7)  # all sequences of three steps
    (level,) = result.levels
    assert level.counts.cut == 0
    assert level.vacuous and not level.complete and not level.whole  # all of them would have gone on


def test_the_delta_rotation_starts_at_the_last_thread_and_wraps_round() -> None:
    assert passed_over(0b1111, 2, 2) == 0
    assert passed_over(0b1111, 2, 3) == 0b0100
    assert passed_over(0b1111, 2, 0) == 0b1100
    assert passed_over(0b1011, 2, 1) == 0b1001
    assert passed_over(0b1111, None, 1) == 0b0001


ORACLE: dict[str, Callable[[int], truth.OracleBound]] = {
    "context": truth.OracleContext,
    "delta": truth.OracleDelta,
    "depth": truth.OracleDepth,
    "local-depth": truth.OracleLocalDepth,
    "local-context": truth.OracleLocalContext,
    "local-preemption": truth.OracleLocalPreemption,
}

OTHERS = [
    *("context:1", "context:3", "delta:0", "delta:2", "depth:5"),
    *("local-depth:4", "local-depth:9", "local-context:2", "local-preemption:1"),
]


@pytest.mark.parametrize("program", [philosophers(2), philosophers(3), work_stealing_queue(2, 1, 1)], ids=lambda program: program.name)
@pytest.mark.parametrize("bound", OTHERS)
def test_no_bound_misses_a_state(program: Program, bound: str) -> None:
    (term,) = parse_bound(bound).terms
    oracle = Oracle(program)
    executor = oracle.executor()
    result = search(program, bound, executor=executor)
    assert result.exhausted
    assert executor.coverage is not None
    assert executor.coverage.lacks(oracle.explore(ORACLE[term.kind.value](term.high)).coverage) == Missing()


def test_local_depth_reaches_the_local_states_of_depth_with_fewer_executions() -> None:
    program = philosophers(3)
    depth, local = search(program, "depth:6"), search(program, "local-depth:6")
    assert local.counts.executions < depth.counts.executions
    assert local.counts.local_states >= depth.counts.local_states


def test_every_kind_of_bound_has_a_rule_of_its_own() -> None:
    texts = ["preemption:1", "context:1", "delta:1", "depth:1", "local-depth:1", "local-context:1", "local-preemption:1"]
    assert len({type(rule_for(parse_bound(text))) for text in texts}) == len(texts)
