"""Options that change nothing say so; those that change something do not."""

from __future__ import annotations

import pytest

from bpor.search.bounds.effects import without_effect
from bpor.search.bounds.grammar import parse_bound
from bpor.search.options import SearchOptions
from bpor.simulate.programs import philosophers, readers_and_writer
from tests.unit.search_runs import search

OPTIONS = {
    "--no-sleep-sets": SearchOptions(sleep_sets=False),
    "--no-transitive-reduction": SearchOptions(transitive_reduction=False),
    "--no-bound-optimisation": SearchOptions(bound_optimisation=False),
}
BOUNDS = (
    *("none", "fair:1", "preemption:1", "context:3", "delta:2", "fair:1,context:3", "depth:5"),
    *("local-depth:9", "local-context:2", "local-preemption:1"),
)


@pytest.mark.parametrize("bound", BOUNDS)
@pytest.mark.parametrize("option", OPTIONS)
def test_an_option_says_that_it_changes_nothing_iff_it_never_does(option: str, bound: str) -> None:
    said = without_effect("bpor", parse_bound(bound), [option])
    same = all(
        search(program, bound).executions == search(program, bound, options=OPTIONS[option]).executions
        for program in (philosophers(3), readers_and_writer(3))
    )
    assert not said or same
    if option != "--no-transitive-reduction":  # these programs do not show everything it does
        assert said or not same


def test_searches_without_these_reductions_say_so() -> None:
    assert without_effect("dfs", None, ["--no-sleep-sets"]) == ["--no-sleep-sets changes nothing: --search dfs has no such reduction"]
    assert without_effect(None, None, list(OPTIONS)) == []


def test_searches_that_execute_every_run_say_that_no_steps_are_known() -> None:
    option = "--no-known-steps"
    for name in (None, "bpor", "dpor", "extension", "best-first:pb"):
        assert without_effect(name, None, [option]) == []
    assert without_effect("dfs", None, [option]) == [f"{option} changes nothing: --search dfs executes every run"]
    assert without_effect(None, parse_bound("depth:5"), [option]) == [f"{option} changes nothing within depth:5: every run is executed"]
    assert without_effect(None, parse_bound("preemption:1"), [option]) == []
