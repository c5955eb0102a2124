"""A search that is given up for a race gathers others for a while."""

from __future__ import annotations

from dataclasses import replace

from bpor.model.plan import Plan
from bpor.model.schedule import Schedule
from bpor.search.gathering import MOST, WORTH, Gathering
from bpor.search.result import Failure
from bpor.simulate.executor import SimulatedExecutor
from bpor.simulate.notation import parse


def failure(way: str) -> Failure:
    return replace(Failure(Schedule((0,)), SimulatedExecutor(parse("Wx")).run(Plan())), way=way)


def test_it_takes_as_long_again_as_it_took_to_come_to_the_first_race() -> None:
    gathering = Gathering(lambda _: True)
    ended = [not gathering.goes_on(executions, [failure("race")]) for executions in range(WORTH, 2 * WORTH + 1)]
    assert ended == [False] * WORTH + [True]


def test_what_follows_a_long_search_is_short() -> None:
    gathering = Gathering(lambda _: True)
    assert gathering.goes_on(5_000, [failure("race")]) and gathering.goes_on(5_000 + MOST - 1, [failure("race")])
    assert not gathering.goes_on(5_000 + MOST, [failure("race")])


def test_a_search_that_was_short_is_not_worth_it() -> None:
    assert not Gathering(lambda _: True).goes_on(WORTH - 1, [failure("race")])


def test_a_bug_ends_it_and_each_way_to_fail_is_asked_for_once() -> None:
    asked: list[object] = []

    def is_race(one: Failure) -> bool:
        asked.append(one.way)
        return one.way == "race"

    gathering = Gathering(is_race)
    assert gathering.goes_on(100, [failure("race")])
    assert not gathering.goes_on(120, [failure("race"), failure("bug")])
    assert asked == ["race", "bug"]
