"""Which failing executions are kept does not depend on who came first."""

from __future__ import annotations

import random

from bpor.model.schedule import Schedule
from bpor.model.trace import End, Outcome, Trace
from bpor.search.failures import MAX_KEPT, cheapest_first, keep
from bpor.search.result import Failure


def failing(way: int, preemptions: int, *schedule: int) -> Failure:
    return Failure(Schedule(schedule), Trace(End(Outcome.ASSERTION), (), preemptions=preemptions), way=way)


def kept(failures: list[Failure]) -> list[tuple[object, Schedule]]:
    those: list[Failure] = []
    for failure in failures:
        keep(those, failure)
    return [(one.way, one.schedule) for one in cheapest_first(those)]


def test_of_one_way_the_cheapest_is_kept_in_whatever_order_they_come() -> None:
    failures = [failing(way, cost, *schedule) for way in (1, 2) for cost in (2, 1) for schedule in ((0, way, way), (0, way), (way, 0))]
    expected = kept(failures)
    assert [len(schedule) for _, schedule in expected] == [2, 2]
    draw = random.Random(1)
    for _ in range(20):
        draw.shuffle(failures)
        assert kept(failures) == expected


def test_of_more_ways_than_are_kept_the_dearest_are_forgotten() -> None:
    failures = [failing(way, way, 0, 1) for way in range(3 * MAX_KEPT)]
    random.Random(2).shuffle(failures)
    assert [way for way, _ in kept(failures)] == list(range(MAX_KEPT))
