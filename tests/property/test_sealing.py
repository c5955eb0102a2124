"""Preemption sealing: with any code sealed the reduced search reaches exactly what brute force within the same seals reaches."""

from __future__ import annotations

import zlib

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from bpor.model.operation import Operation
from bpor.model.plan import Plan
from bpor.search.bounds.bound import Bound, BoundKind
from bpor.search.bounds.grammar import parse_bound
from bpor.search.bounds.sealed import Sealed, SealedEverything, sealed_rule
from bpor.search.budget import Budget, SearchStop
from bpor.search.engine.rule import Rule
from bpor.search.explorer import Explorer
from bpor.search.options import Sealing, SearchOptions
from bpor.search.strategies.ladder import Ladder
from bpor.simulate.coverage import Coverage
from bpor.simulate.notation import parse
from bpor.simulate.oracle import Oracle
from tests.property.calm import calm
from tests.property.random_programs import Sample, samples
from tests.property.trial import Unfinished

CALM = calm(30)


def everything(level: Bound, sealed: Sealing) -> Rule:
    return SealedEverything(sealed, level.value(BoundKind.PREEMPTION), level.value(BoundKind.FAIR))


def covered(oracle: Oracle, bound: str, sealed: Sealing, reduced: bool) -> tuple[Coverage, int]:
    make = sealed_rule if reduced else everything
    executor = oracle.executor()
    assert executor.coverage is not None
    ladder = Ladder(parse_bound(bound).levels(), lambda level: make(level, sealed), SearchOptions(max_steps=200))
    result = Explorer(executor, ladder, Budget(max_executions=2_000, max_findings=None)).run()
    if result.stop is not SearchStop.EXHAUSTED or result.counts.cut:
        raise Unfinished(str(result.stop))
    return executor.coverage, result.executions


def sealing(seed: int, part: int) -> Sealing:
    """Some kinds of operations on some objects, the same in every execution: as good as any set of call sites."""

    def trusted(operation: Operation) -> bool:
        text = f"{seed} {operation.kind.name} {[access.object for access in operation.footprint]}"
        return zlib.crc32(text.encode()) % 4 < part

    return lambda one, two: trusted(one) and trusted(two)


@pytest.mark.parametrize("bound", ["none", "preemption:0", "preemption:1", "preemption:2", "fair:1", "fair:1,preemption:1"])
@CALM
@given(sample=samples(max_operations=9), seed=st.integers(0, 1000), part=st.integers(1, 4))
def test_the_sealed_search_reaches_what_brute_force_reaches(bound: str, sample: Sample, seed: int, part: int) -> None:
    oracle = Oracle(sample.program, sample.semantics, max_prefixes=3_000, max_steps=100)
    sealed = sealing(seed, part)
    try:
        truth, plain = covered(oracle, bound, sealed, reduced=False)
        found, executions = covered(oracle, bound, sealed, reduced=True)
    except Unfinished:
        assume(False)
        raise
    assert not found.lacks(truth)
    assert not truth.lacks(found)
    assert executions <= plain


def executions(text: str, sealed: Sealing, bound: str = "none") -> int:
    return covered(Oracle(parse(text)), bound, sealed, reduced=True)[1]


def test_without_seals_nothing_changes_and_with_everything_sealed_only_whole_threads_are_ordered() -> None:
    text = "Wx; Wx | Wx; Wx"
    assert executions(text, lambda one, two: False) == 6
    assert executions(text, lambda one, two: True) == 2


def test_a_switch_into_a_sealed_run_is_still_tried() -> None:
    """Between the first write and the sealed pair, and after it: not inside."""
    sealed = sealing_of("x")
    assert executions("Wy; Wx; Wx | Wx", sealed) == 2
    assert executions("Wy; Wx; Wx | Wx", lambda one, two: False) == 3


def sealing_of(name: str) -> Sealing:
    trace = Oracle(parse("Wx | Wy")).executor().run(Plan())
    objects = {"xy"[index]: step.footprint[0].object for index, step in enumerate(sorted(trace.steps, key=lambda step: step.thread))}
    return lambda one, two: all(any(access.object == objects[name] for access in operation.footprint) for operation in (one, two))


def test_a_seal_keeps_nobody_from_running_when_its_thread_is_stuck() -> None:
    assert isinstance(sealed_rule(parse_bound("preemption:1"), lambda one, two: True), Sealed)
    assert executions("lock a; lock b; unlock b; unlock a | lock b; lock a; unlock a; unlock b", lambda one, two: True) == 2
