"""The numbers beside the verdict."""

from __future__ import annotations

import random

from bpor.model.trace import End, Outcome, Trace
from bpor.search.distinct import Distinct
from bpor.search.estimate import Estimate, estimate
from bpor.search.tally import Tally
from bpor.simulate.programs import lost_update, philosophers, work_stealing_queue
from tests.unit.search_runs import search


def test_distinct_hashes_are_counted_exactly_below_the_cap() -> None:
    source = random.Random(1)
    values = [source.getrandbits(64) for _ in range(5_000)] + [0]
    distinct = Distinct(cap=1 << 16)
    for value in values + values:
        distinct.add(value)
    assert (distinct.count, distinct.estimated) == (len(set(values)), False)


def test_beyond_the_cap_the_count_is_an_estimate_and_memory_stays_flat() -> None:
    source = random.Random(2)
    distinct = Distinct(cap=1 << 10)
    for _ in range(40_000):
        distinct.add(source.getrandbits(64))
    assert distinct.estimated
    assert 0.85 < distinct.count / 40_000 < 1.15
    assert len(distinct._slots) <= 1 << 12


def test_negative_hashes_are_hashes_too() -> None:
    distinct = Distinct(cap=64)
    distinct.add(-1)
    distinct.add((1 << 64) - 1)
    assert distinct.count == 1


def test_a_tally_tells_apart_how_executions_ended() -> None:
    tally = Tally(cap=64)
    for number, outcome in enumerate(
        [Outcome.PASSED, Outcome.DEADLOCK, Outcome.REDUNDANT, Outcome.OVER_BOUND, Outcome.STEP_LIMIT, Outcome.KILLED]
    ):
        tally.ended(outcome, number, 2, Trace(End(outcome), (), threads=number, refused_by_bound=1, lost=2, lost_at=number))
    counts = tally.counts()
    assert (counts.executions, counts.complete, counts.redundant, counts.over_bound, counts.cut) == (6, 2, 1, 1, 2)
    assert counts.distinct_traces == 2  # those that ended by themselves
    assert (counts.steps, counts.threads, counts.refused_states) == (12, 5, 6)
    assert (counts.lost, counts.lost_at) == (12, 1)  # the first place that is known


def test_a_tree_with_nothing_left_is_estimated_at_its_size() -> None:
    assert estimate([]) == Estimate(1, 1, 1)
    assert estimate([([], 0), ([3], 0)]) == Estimate(4, 4, 4)


def test_an_untried_branch_costs_what_its_siblings_cost_with_a_spread() -> None:
    assert estimate([([2, 6], 2)]) == Estimate(low=11, expected=15, high=21)


def test_a_hopeless_tree_has_a_finite_estimate() -> None:
    huge = estimate([([], 9)] * 2_000)
    assert huge.low <= huge.expected <= huge.high < float("inf")


def test_the_estimate_of_a_running_search_is_near_the_truth_and_exact_at_the_end() -> None:
    program = lost_update(3)
    half = search(program, "none", max_executions=3_500)
    whole = search(program, "none")
    assert whole.counts.distinct_traces == 7134
    estimated = half.levels[-1].estimate
    exact = whole.levels[-1].estimate
    assert estimated is not None and exact is not None
    assert exact.low == exact.high == whole.counts.executions
    assert 0.5 < estimated.expected / whole.counts.executions < 2


def test_distinct_traces_and_local_states_do_not_depend_on_the_search() -> None:
    for program in (philosophers(3), work_stealing_queue(2, 2, 1)):
        reduced, plain = search(program, "none", "dpor").counts, search(program, "none", "dfs").counts
        assert reduced.distinct_traces == plain.distinct_traces
        assert reduced.local_states == plain.local_states
        assert reduced.executions < plain.executions


def test_only_new_steps_are_counted_as_work() -> None:
    result = search("Wa; Wb; Wc; Wx | Wx", "none")
    assert result.counts.steps == 5 + 2  # the second execution shares three steps
