"""A tree that is handed out subtree by subtree reaches what brute force reaches, whoever explores which part and in whatever order. One
part at a time, the deepest first, it runs the very executions of one depth-first search in its order; `as_one`, in any order, too.
"""

from __future__ import annotations

import random

import pytest
from hypothesis import given, reject
from hypothesis import strategies as st

from bpor.lazy_dataclass import replace
from bpor.model.plan import Plan
from bpor.model.trace import Trace
from bpor.search.bounds.bound import Bound
from bpor.search.bounds.grammar import parse_bound
from bpor.search.bounds.rules import rule_for
from bpor.search.budget import Budget, SearchStop
from bpor.search.engine.limb import Branch
from bpor.search.engine.patchwork import Patchwork
from bpor.search.engine.rule import Rule
from bpor.search.engine.tree import Tree
from bpor.search.engine.tree_state import stack_of
from bpor.search.explorer import Explorer
from bpor.search.options import SearchOptions
from bpor.search.result import SearchResult
from bpor.search.strategies.ladder import Ladder
from bpor.search.tally import Tally
from bpor.simulate.coverage import Coverage
from bpor.simulate.notation import parse
from bpor.simulate.oracle import Oracle, TooManyPrefixes
from bpor.simulate.program import Semantics
from tests.property.calm import calm
from tests.property.random_atomics import atomics
from tests.property.random_programs import Sample, samples
from tests.property.trial import oracle_bound

BOUNDS = ("none", "preemption:0", "preemption:1", "preemption:2", "fair:1", "fair:0,preemption:1", "fair:1,preemption:1")
CALM = calm(12)
options = st.builds(SearchOptions, st.booleans(), st.booleans(), st.booleans(), st.booleans(), max_steps=st.just(400))


class Split(Patchwork):
    """Branches are split at random moments; one is explored at a time, the deepest first."""

    source = random.Random(0)

    def turn(self) -> Branch | None:
        if self.trees and self.source.random() < 0.3:
            self._split(self.source.choice(list(self.trees)))
        return super().turn()

    def _split(self, branch: Branch) -> None:
        tree = self.trees[branch]
        if tree.begun and self.trunk.split(branch, *stack_of(tree)):
            tree.raise_root(branch.root)


class Shuffled(Split):
    """As many as four branches are explored at the same time, execution by execution, in any order."""

    def turn(self) -> Branch | None:
        if not self.begun or (len(self.trees) < 4 and self.source.random() < 0.5):
            self.take(deepest=self.source.random() < 0.5)
        if self.trees and self.source.random() < 0.3:
            self._split(self.source.choice(list(self.trees)))
        return self.source.choice(list(self.trees)) if self.trees else self.take(deepest=False)


class Schedules:
    def __init__(self) -> None:
        self.seen: list[tuple[tuple[int, ...], str]] = []

    def executed(self, explorer: Explorer, plan: Plan, trace: Trace) -> None:
        threads = (*plan.prefix[: trace.first], *(step.thread for step in trace.steps))
        self.seen.append((threads, trace.end.outcome.value))


def search(oracle: Oracle, bound: str, chosen: SearchOptions, tree: type[Tree | Patchwork]) -> tuple[SearchResult, Coverage, Schedules]:
    def plant(level: Bound, rule: Rule, options: SearchOptions, total: Tally) -> Tree:
        return tree(level, rule, options, total)  # type: ignore[return-value]

    schedules, executor = Schedules(), oracle.executor()
    strategy = Ladder(parse_bound(bound).levels(), rule_for, chosen, plant)
    result = Explorer(executor, strategy, Budget(max_executions=400, max_findings=None), [schedules]).run()
    if result.stop is not SearchStop.EXHAUSTED or result.counts.cut:
        reject()
    assert executor.coverage is not None
    return result, executor.coverage, schedules


def assert_same(whole: SearchResult, parts: SearchResult) -> None:
    assert parts.counts == whole.counts
    assert [(level.finished, level.refused) for level in parts.levels] == [(level.finished, level.refused) for level in whole.levels]


def oracle_of(sample: Sample) -> Oracle:
    return Oracle(sample.program, sample.semantics, max_prefixes=3_000, max_steps=100)


@pytest.mark.parametrize("bound", (*BOUNDS, "context:1", "context:2", "delta:1", "fair:1,context:1", "fair:0,delta:1"))
@CALM
@given(sample=samples(max_operations=7, spinning=True), chosen=options, seed=st.integers(0, 1000))
def test_subtrees_in_any_order_reach_what_brute_force_reaches(bound: str, sample: Sample, chosen: SearchOptions, seed: int) -> None:
    Split.source = random.Random(seed)
    oracle = oracle_of(sample)
    try:
        truth = oracle.explore(oracle_bound(parse_bound(bound)))
    except TooManyPrefixes:
        reject()
    result, coverage, _ = search(oracle, bound, chosen, Shuffled)
    assert result.exhausted and result.counts.distinct_traces == truth.traces
    assert not coverage.lacks(truth.coverage) and not truth.coverage.lacks(coverage)


@pytest.mark.parametrize("bound", BOUNDS)
@CALM
@given(sample=samples(max_operations=7, spinning=True), chosen=options, seed=st.integers(0, 1000))
def test_subtrees_one_after_another_run_the_executions_of_one_search(bound: str, sample: Sample, chosen: SearchOptions, seed: int) -> None:
    Split.source = random.Random(seed)
    oracle = oracle_of(sample)
    whole, _, expected = search(oracle, bound, chosen, Tree)
    parts, _, found = search(oracle, bound, chosen, Split)
    assert found.seen == expected.seen
    assert_same(whole, parts)


@pytest.mark.parametrize("bound", ("none", "preemption:1", "fair:1", "fair:1,preemption:1", "context:2", "fair:0,delta:1"))
@CALM
@given(sample=samples(max_operations=7, spinning=True), chosen=options, seed=st.integers(0, 1000))
def test_subtrees_as_one_run_the_executions_of_one_search_in_any_order(
    bound: str, sample: Sample, chosen: SearchOptions, seed: int
) -> None:
    Split.source = random.Random(seed)
    oracle = oracle_of(sample)
    whole, _, expected = search(oracle, bound, chosen, Tree)
    parts, _, found = search(oracle, bound, replace(chosen, as_one=True), Shuffled)
    assert sorted(found.seen) == sorted(expected.seen)
    assert_same(whole, parts)


THREE_ARE_WANTED = (  # one after the other, and not in the order in which they are tried
    ("none", "W y | R y; W y; W x | R z | lock m; W y; unlock m | W y; R y", 525440),
    ("preemption:0", "R z; W y | W y | R x; R y; R z | R y | W y; lock m; R y; unlock m", 961621),
    (
        "preemption:1",
        "yield; R x | W x; W x; R x | lock m; R z; unlock m; R z; R y | lock m; R z; unlock m; lock m; W x; unlock m | R x; W y",
        758970,
    ),
)


@pytest.mark.parametrize(("bound", "text", "seed"), THREE_ARE_WANTED)
def test_siblings_that_are_asked_for_out_of_order_wait_for_each_other(bound: str, text: str, seed: int) -> None:
    oracle, chosen = Oracle(parse(text), Semantics()), SearchOptions(max_steps=400)
    whole, _, expected = search(oracle, bound, chosen, Tree)
    Split.source = random.Random(seed)
    parts, _, found = search(oracle, bound, replace(chosen, as_one=True), Shuffled)
    assert sorted(found.seen) == sorted(expected.seen)
    assert_same(whole, parts)


WEAK_BOUNDS = ("none", "stale:0", "stale:1", "stale:1,preemption:1", "fair:1")


@pytest.mark.parametrize("bound", WEAK_BOUNDS)
@CALM
@given(text=atomics(), memory=st.sampled_from(("tso", "c11")), seed=st.integers(0, 1000))
def test_subtrees_of_weak_memory_reach_what_one_search_reaches(bound: str, text: str, memory: str, seed: int) -> None:
    Split.source = random.Random(seed)
    oracle, chosen = Oracle(parse(text), Semantics(memory=memory)), SearchOptions(max_steps=400, alternatives=True, weak=True)
    whole, expected, _ = search(oracle, bound, chosen, Tree)
    for kind in (Split, Shuffled):
        parts, found, _ = search(oracle, bound, chosen, kind)
        assert found.final_values == expected.final_values
        assert [level.refused > 0 for level in parts.levels] == [level.refused > 0 for level in whole.levels]
