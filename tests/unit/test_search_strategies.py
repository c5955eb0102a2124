"""The searches by name."""

from __future__ import annotations

import pytest

from bpor.errors import Diverged, UsageError
from bpor.model.plan import Plan, State
from bpor.model.trace import Outcome, Trace
from bpor.search.bounds import NONE, parse_bound
from bpor.search.budget import Budget
from bpor.search.explorer import Explorer, schedule_of
from bpor.search.options import SearchOptions
from bpor.search.registry import SEARCHES, make_strategy
from bpor.simulate.executor import SimulatedExecutor
from bpor.simulate.notation import parse
from bpor.simulate.programs import lost_update, philosophers
from tests.unit.search_runs import runs, search


def schedules(name: str, seed: int, executions: int = 20) -> list[str]:
    found: list[str] = []

    class Noting(SimulatedExecutor):
        def run(self, plan: Plan) -> Trace:
            trace = super().run(plan)
            found.append(str(schedule_of(plan, trace)))
            return trace

    Explorer(Noting(lost_update(2)), make_strategy(name, None, seed=seed), Budget(executions, None, None)).run()
    return found


def test_every_search_of_the_registry_finds_the_deadlock_of_the_philosophers() -> None:
    for name in set(SEARCHES) - {"determinism"}:
        result = search(philosophers(2), None, name, max_executions=500, max_findings=1)
        assert [failure.trace.end.outcome for failure in result.failures] == [Outcome.DEADLOCK], name


def test_an_unknown_search_lists_the_valid_ones() -> None:
    with pytest.raises(UsageError, match="bpor, dpor, dfs, random, pct, pos, delay, determinism"):
        make_strategy("bfs", None)


@pytest.mark.parametrize(
    ("name", "bound"),
    [("random", "preemption:1"), ("pct", "fair:2"), ("pos", "depth:3"), ("determinism", "delta:1"), ("dpor", "preemption:1"),
     ("dfs", "context:1"), ("delay", "preemption:1")],
)  # fmt: skip
def test_a_search_refuses_a_bound_it_cannot_honour(name: str, bound: str) -> None:
    with pytest.raises(UsageError, match=bound):
        make_strategy(name, parse_bound(bound))


def test_a_bound_alone_means_bpor_and_none_means_without_a_bound() -> None:
    assert runs(search(philosophers(3), "none")) == runs(search(philosophers(3), "none", "dpor"))
    assert runs(search(philosophers(3), None, "bpor")) == runs(search(philosophers(3), str(NONE), "dpor"))


@pytest.mark.parametrize("name", ["random", "pct", "pos"])
def test_a_seed_gives_the_same_schedules_again_and_another_seed_others(name: str) -> None:
    assert schedules(name, 1) == schedules(name, 1)
    assert schedules(name, 1) != schedules(name, 2)
    assert len(set(schedules(name, 1))) > 3


@pytest.mark.parametrize("name", ["random", "pct", "pos"])
def test_a_sampling_search_never_claims_to_be_finished(name: str) -> None:
    result = search("Wx | Wx", None, name, max_executions=50)
    assert not result.exhausted
    assert result.strongest is None
    assert result.counts.distinct_traces == 2


def test_sampling_ends_on_programs_that_spin() -> None:
    for name in ("random", "pct", "pos"):
        result = search("until Rx | Wx", None, name, options=SearchOptions(max_steps=500), max_executions=30)
        assert result.counts.complete == 30, name


def test_pct_runs_by_priority_and_changes_at_most_depth_minus_one_times() -> None:
    strategy = make_strategy("pct", None, SearchOptions(pct_depth=1))
    plan = strategy.next_plan()
    assert plan is not None and plan.chooser is not None
    pending = dict(SimulatedExecutor(lost_update(3)).run(Plan()).initial)
    chosen = {plan.chooser(State(index, 0b111, 0, None, pending)) for index in range(10)}
    assert len(chosen) == 1


def test_delays_grow_until_they_no_longer_matter() -> None:
    result = search("Wx | Wx | Wx", None, "delay")
    assert [str(level.bound) for level in result.levels] == [f"delta:{delays}" for delays in range(4)]
    assert result.levels[0].counts.executions == 1
    assert result.levels[-1].whole
    assert result.counts.distinct_traces == 6


def test_a_deterministic_program_passes_the_check() -> None:
    result = search(lost_update(2), None, "determinism", SearchOptions(rounds=4, repeats=2))
    assert result.exhausted
    assert result.executions == 4 * 3


def test_a_program_that_is_no_function_of_its_schedule_is_caught_at_the_step() -> None:
    class Moody(SimulatedExecutor):
        runs = 0

        def run(self, plan: Plan) -> Trace:
            self.runs += 1
            program = parse("Wa; Wb; Wx | Wx") if self.runs % 2 else parse("Wa; Rb; Wx | Wx")
            return SimulatedExecutor(program).run(plan)

    strategy = make_strategy("determinism", None)
    with pytest.raises(Diverged, match="step 1") as diverged:
        Explorer(Moody(parse("Wx")), strategy, Budget(max_findings=None)).run()
    assert "write" in diverged.value.expected
    assert "read" in diverged.value.got
