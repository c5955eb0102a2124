"""The search for Python extensions: one preemption without reduction, then the reduced search."""

from __future__ import annotations

from bpor.search.options import SearchOptions
from bpor.simulate.programs import lost_update, spinners
from tests.unit.search_runs import runs, search

APART = "Wa; Wa | Wb; Wb"  # nothing in common that can be seen


def test_steps_that_seem_independent_are_interleaved_within_one_preemption() -> None:
    assert runs(search(APART, "preemption:2")) < runs(search(APART, "preemption:1", "dfs"))
    levels = search(APART, "preemption:2", "extension").levels
    assert [(str(level.bound), level.every) for level in levels] == [("preemption:1", True), ("preemption:2", False)]
    assert levels[0].counts.executions == search(APART, "preemption:1", "dfs").executions
    assert levels[1].counts.executions == search(APART, "preemption:2").executions


def test_both_levels_are_in_the_statement() -> None:
    first, second = search(lost_update(3), "preemption:2", "extension").levels
    assert first.statement() == "all schedules with ≤ 1 preemption, each of them run"
    assert second.statement() == "all schedules with ≤ 2 preemptions"


def test_a_bound_of_one_preemption_or_less_is_searched_once_without_reduction() -> None:
    for bound in ("preemption:0", "preemption:1"):
        levels = search(lost_update(2), bound, "extension").levels
        assert [str(level.bound) for level in levels] == [bound]
        assert runs(search(lost_update(2), bound, "extension")) == runs(search(lost_update(2), bound, "dfs"))


def test_nothing_follows_a_level_that_covered_everything() -> None:
    levels = search("Wx | Ry", "preemption:2", "extension").levels
    assert [level.statement() for level in levels] == ["all schedules"]


def test_the_fair_bound_comes_to_the_first_level_when_a_thread_spins() -> None:
    result = search(spinners(2), "fair:2,preemption:2", "extension", options=SearchOptions(max_steps=200))
    assert [str(level.bound) for level in result.levels] == ["fair:2,preemption:1", "fair:2,preemption:2"]
    assert all(level.complete for level in result.levels)
