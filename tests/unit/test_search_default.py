"""The default search: what it says at the end, and how it gets there."""

from __future__ import annotations

import pytest

from bpor.model.trace import Outcome
from bpor.search.bounds import NONE, Bound, parse_bound
from bpor.search.budget import Budget, SearchStop
from bpor.search.coverage import Level, strongest
from bpor.search.explorer import Explorer
from bpor.search.options import SearchOptions
from bpor.search.result import SearchResult
from bpor.search.strategies import widening
from bpor.search.tally import Counts
from bpor.simulate.executor import SimulatedExecutor
from bpor.simulate.notation import parse
from bpor.simulate.programs import philosophers, spinners, work_stealing_queue
from tests.unit.search_runs import search


def test_a_small_program_ends_with_all_schedules() -> None:
    result = search(philosophers(5, ordered=True))
    assert result.exhausted
    assert result.strongest is not None
    assert result.strongest.statement() == "all schedules"
    assert result.counts.distinct_traces == 30


def test_a_program_too_large_for_the_budget_names_the_largest_complete_bound() -> None:
    result = search(work_stealing_queue(4, 4, 4), max_executions=300)
    assert result.stop is SearchStop.MAX_EXECUTIONS
    assert result.strongest is not None
    assert result.strongest.statement() == "all schedules with ≤ 1 preemption"


def test_bugs_with_few_preemptions_come_first() -> None:
    """The lost update needs one preemption, the other threads offer thousands of schedules without it."""
    noise = " | ".join(["Wy; Ry; Wy; Ry"] * 3)
    result = search(f"Rx; RMWx; Rx; if Ry; assert | {noise}", max_findings=1, max_executions=2_000)
    assert result.failures
    assert result.failures[0].trace.preemptions == 0


def test_bounded_and_unbounded_search_take_turns() -> None:
    result = search(work_stealing_queue(4, 4, 4), max_executions=200)
    whole = [level for level in result.levels if level.bound == NONE]
    steps = [level for level in result.levels if level.bound != NONE]
    assert abs(sum(level.counts.executions for level in whole) - sum(level.counts.executions for level in steps)) <= 1
    assert [str(level.bound) for level in steps][:2] == ["preemption:0", "preemption:1"]


def test_a_level_that_refused_nobody_already_covers_everything() -> None:
    result = search("Wx | Wx")
    assert result.exhausted
    assert result.strongest is not None
    assert result.strongest.whole


def test_the_fair_bound_comes_on_with_the_first_step_limit_and_grows() -> None:
    result = search(spinners(2), options=SearchOptions(max_steps=200), max_executions=400)
    bounds = [str(level.bound) for level in result.levels]
    assert bounds[:2] == ["preemption:0", "fair:2,preemption:0"]
    assert "fair:2" in bounds and "fair:4" in bounds
    assert result.strongest is not None
    assert result.strongest.statement().startswith("all schedules (fair:")
    assert result.strongest.statement().endswith(", which refused threads")
    assert not result.strongest.whole


def test_a_ceiling_ends_the_growth_of_the_fair_bound() -> None:
    result = search(spinners(2), options=SearchOptions(max_steps=200, fair_ceiling=4))
    assert result.exhausted
    assert str(result.strongest.bound if result.strongest else "") == "fair:4"


def test_without_a_step_limit_the_fair_bound_stays_off() -> None:
    result = search("5*yield; Wd | Rd")
    assert {str(level.bound) for level in result.levels} <= {"none", "preemption:0", "preemption:1"}
    assert result.counts.distinct_traces == 2
    assert result.strongest is not None and result.strongest.statement() == "all schedules"


def test_a_step_limit_within_the_fair_bound_completes_nothing() -> None:
    result = search("until Rx | Ry", options=SearchOptions(max_steps=100))
    assert result.exhausted
    assert result.strongest is None
    assert result.failures[0].livelock is not None
    assert result.failures[0].trace.end.outcome is Outcome.STEP_LIMIT


def test_the_strongest_statement_is_chosen_by_what_it_covers() -> None:
    def level(bound: str, finished: bool = True, refused: int = 1, cut: int = 0) -> Level:
        return Level(parse_bound(bound), Counts(executions=1, cut=cut), finished, refused)

    assert strongest(()) is None
    assert strongest((level("none", finished=False), level("preemption:1"))) == level("preemption:1")
    assert strongest((level("preemption:1"), level("preemption:2"), level("preemption:3", cut=1))) == level("preemption:2")
    assert strongest((level("fair:2"), level("preemption:5"))) == level("fair:2")
    assert strongest((level("fair:2"), level("fair:4"))) == level("fair:4")
    whole = level("preemption:2", refused=0)
    assert strongest((level("fair:8"), whole)) == whole
    assert whole.statement() == "all schedules"
    assert level("none", refused=0).bound == Bound()


YIELDS = "Wa; 12*yield; Rb; Wa; Rb | Wb; 12*yield; Ra; Wb; Ra | Wb; 12*yield; Wa; Rb"


@pytest.mark.parametrize("engine", ["python", "library"])
def test_bounds_that_take_long_go_on_within_a_fair_bound_if_it_makes_them_small(monkeypatch: pytest.MonkeyPatch, engine: str) -> None:
    monkeypatch.setattr(widening, "_SPENT", 2_000)
    result = search(YIELDS, options=SearchOptions(engine=engine), max_executions=400)
    assert result.strongest is not None
    assert result.strongest.statement() == "all schedules with ≤ 1 preemption (fair:2), which refused threads"
    assert search(YIELDS, options=SearchOptions(engine=engine)).strongest == search(YIELDS, "none").levels[0]


def test_the_unbounded_search_joins_them_when_it_takes_long_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(widening, "_SPENT", 2_000)
    monkeypatch.setattr(widening, "_SPENT_WHOLE", 20_000)
    result = search(YIELDS)
    assert result.exhausted and result.strongest is not None
    assert result.strongest.statement() == "all schedules (fair:8), which refused threads"


def test_where_nobody_yields_the_bounds_go_on_as_they_were(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(widening, "_NEAR", 0)
    monkeypatch.setattr(widening, "_SPENT", 8_000)
    result = search(work_stealing_queue(4, 4, 4), max_executions=800)
    assert [str(level.bound) for level in result.levels] == [
        "preemption:0",
        "preemption:1",
        "preemption:2",
        "preemption:2",
        "preemption:3",
        "none",
    ]
    assert result.strongest is not None and result.strongest.statement() == "all schedules with ≤ 2 preemptions"


LATE = "Wa; Rb; Wa; Rb; Wa; Rb; Wa | Wb; Ra; Wb; Ra; Wb; Ra; Wb | 8*yield; Ra; Rb"


@pytest.mark.parametrize("engine", ["python", "library"])
def test_a_fair_bound_that_did_not_show_its_worth_is_tried_again(monkeypatch: pytest.MonkeyPatch, engine: str) -> None:
    """They differ in their last steps, and those are not where somebody yields."""
    looked: list[int] = []
    end = widening.Widening._end_fair_trial

    def noting(self: widening.Widening, waits: bool) -> None:
        assert self._step is not None and not waits
        looked.append(self._step.tally.executions)
        end(self, waits)

    monkeypatch.setattr(widening.Widening, "_end_fair_trial", noting)
    monkeypatch.setattr(widening, "_NEAR", 0)
    monkeypatch.setattr(widening, "_SPENT", 1_000)
    monkeypatch.setattr(widening, "_MORE", 4)
    result = search(LATE, options=SearchOptions(engine=engine), max_executions=1_500)
    assert looked == [16, 64, 256]
    assert result.strongest is not None
    assert result.strongest.statement() == "all schedules with ≤ 1 preemption"


def test_a_search_that_follows_another_one_knows_that_threads_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    """It says no more than it has shown: as what begins within the fair bound itself."""
    monkeypatch.setattr(widening, "_SPENT", 2_000)
    first, second = (widening.Widening(SearchOptions()) for _ in range(2))
    Explorer(SimulatedExecutor(parse(YIELDS)), first, Budget(400, None, None)).run()
    second.follow(first)
    Explorer(SimulatedExecutor(parse(YIELDS)), second, Budget(400, None, None)).run()
    bounds = [str(level.bound) for level in second.levels()]
    assert bounds[:2] == ["fair:2,preemption:0", "fair:2,preemption:1"]
    assert strongest(second.levels()) == search(YIELDS, "fair:2,preemption:1").levels[0]


def test_levels_that_were_completed_before_a_race_are_not_searched_again() -> None:
    program = work_stealing_queue(4, 4, 4)
    first, second = (widening.Widening(SearchOptions()) for _ in range(2))
    Explorer(SimulatedExecutor(program), first, Budget(300, None, None)).run()
    done = first.done()
    assert [str(level.bound) for level in done] == ["preemption:0", "preemption:1"]
    second.follow(first, done)
    Explorer(SimulatedExecutor(program), second, Budget(40, None, None)).run()
    assert [str(level.bound) for level in second.levels()] == ["preemption:0", "preemption:1", "preemption:2", "none"]
    assert second.levels()[2].counts.executions == 20 and strongest(second.levels()) == done[1]


def test_a_level_in_which_states_were_recognised_is_searched_again() -> None:
    """Whether a program can go on in them for ever is judged by the search that has them."""
    first = widening.Widening(SearchOptions(match="memory"))
    first._past = [Level(parse_bound("preemption:0"), Counts(executions=1), True, 0, states=3)]
    assert first.done() == ()


def test_an_unbounded_search_that_is_far_from_its_end_has_few_of_the_executions(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(widening, "_SPENT", 2_000)
    monkeypatch.setattr(widening, "_FAR", 10)
    result = search(work_stealing_queue(8, 8, 8), max_executions=900)
    whole = sum(level.counts.executions for level in result.levels if level.bound == NONE)
    assert 50 < whole < 250  # half of those before it was seen to be far, a ninth of the others


@pytest.mark.parametrize("engine", ["python", "library"])
def test_an_unbounded_search_that_is_near_its_end_has_all_of_the_executions(engine: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of 1,680 traces, some of which show how many there are."""
    program, options = " | ".join(["RMWx; RMWx; RMWx"] * 3), SearchOptions(engine=engine)
    near = search(program, options=options)
    assert near.exhausted and near.strongest is not None and near.strongest.statement() == "all schedules"
    assert _bounded(near) < 400
    monkeypatch.setattr(widening, "_NEAR", 0)
    assert _bounded(search(program, options=options)) > 700


def test_one_that_takes_longer_than_it_seemed_to_shares_them_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(widening, "_left", lambda tree: 1.0)
    monkeypatch.setattr(widening, "_NEAR", 60_000)  # some 500 executions
    result = search(work_stealing_queue(4, 4, 4), max_executions=1_500)
    assert 500 < _bounded(result) < 720


def _bounded(result: SearchResult) -> int:
    return sum(level.counts.executions for level in result.levels if level.bound != NONE)
