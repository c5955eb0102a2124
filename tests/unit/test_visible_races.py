"""Races that become operations: which places are added, and what is not done with a race that is nobody's finding."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

from bpor.checking import check_target
from bpor.confirmation import Subject, WidenedExecutor
from bpor.errors import OutOfTime
from bpor.knobs.values import visible_places
from bpor.model.plan import Plan
from bpor.model.schedule import Schedule
from bpor.model.trace import Description, Outcome, Trace
from bpor.report.finding import FindingKind
from bpor.search.result import Failure
from bpor.settings import Settings
from bpor.simulate.notation import parse
from bpor.target.doubts import NO_DOUBTS, Doubts
from bpor.visible_races import MAX_VISIBLE, Place, joined, with_races_visible
from tests.unit.test_api import ABBA, COUNTER, Described

EXPLORE = Settings(races="explore", bound="preemption:1")


class Racing(Described):
    """Every execution ends in a race at the first of its places that is not visible yet."""

    def __init__(self, text: str, *places: Place) -> None:
        super().__init__(parse(text))
        self.runs: list[int] = []  # executions, by how many places were visible
        self._places, self._visible = places, frozenset[Place]()

    def widen(self, visible: tuple[Place, ...], process_state: str, memory: str) -> None:
        self._visible = frozenset(visible)

    def run(self, plan: Plan) -> Trace:
        trace = super().run(plan)
        self.runs.append(len(self._visible))
        left = [place for place in self._places if place not in self._visible]
        if not left:
            return trace
        identity, size = left[0]
        return replace(trace, end=replace(trace.end, outcome=Outcome.RACE, object=identity, object_bytes=size))


class Late(Racing):
    """There is no time to look at an execution again."""

    def describe(self, plan: Plan) -> tuple[Trace, Description]:
        raise OutOfTime


class Opened:
    def __init__(self, text: str, *places: Place, kind: type[Racing] = Racing, doubts: Doubts = NO_DOUBTS) -> None:
        self.executors: list[Racing] = []
        self._text, self._places, self._kind = text, places, kind
        self.target = Subject(("./racing",), self.open, doubts=doubts)

    @contextmanager
    def open(self) -> Iterator[WidenedExecutor]:
        self.executors.append(self._kind(self._text, *self._places))
        yield self.executors[-1]


def race(identity: int, size: int) -> Failure:
    end = replace(Racing("Wx", (identity, size)).run(Plan()).end)
    return Failure(Schedule((0,)), Trace(end, ()))


def test_a_race_that_becomes_an_operation_costs_one_execution_of_the_target_that_found_it() -> None:
    opened = Opened(COUNTER, (0x10, 8), (0x40, 4))
    result = check_target(opened.target, EXPLORE)
    assert (result.exit_code, result.settings.visible) == (0, "10+8,40+4")
    (executor,) = opened.executors
    assert executor.runs[:2] == [0, 1]
    assert set(executor.runs[2:]) == {2}


def test_what_is_found_then_is_confirmed_with_the_same_places_visible() -> None:
    opened = Opened(ABBA, (0x10, 8))
    result = check_target(opened.target, EXPLORE)
    assert [finding.kind for finding in result.findings] == [FindingKind.DEADLOCK]
    assert "--visible=10+8" in result.findings[0].replay
    _, confirming = opened.executors
    assert set(confirming.runs) == {1}


def test_a_race_of_machine_code_becomes_an_operation_though_there_is_no_time_to_look_who_made_it() -> None:
    opened = Opened(COUNTER, (0x10, 8), (0x40, 4), kind=Late, doubts=Doubts(patched=frozenset({"/usr/lib/racing.so"})))
    result = check_target(opened.target, Settings(races="report", bound="preemption:1"))
    assert (result.exit_code, result.settings.visible) == (0, "10+8,40+4")


def test_a_race_that_cannot_become_an_operation_is_reported() -> None:
    opened = Opened(COUNTER, *((64 * number, 8) for number in range(MAX_VISIBLE + 1)))
    result = check_target(opened.target, EXPLORE)
    assert [finding.kind for finding in result.findings] == [FindingKind.RACE]


def test_a_race_that_is_only_reported_adds_nothing() -> None:
    assert with_races_visible(Settings(races="report"), [race(0x10, 8)]) is None


def test_a_race_within_what_is_visible_adds_nothing() -> None:
    assert with_races_visible(replace(EXPLORE, visible="10+8"), [race(0x14, 4)]) is None


def test_the_races_of_one_search_are_added_together() -> None:
    wider = with_races_visible(EXPLORE, [race(0x40, 4), race(0x10, 8), race(0x40, 4)])
    assert wider is not None
    assert wider.visible == "10+8,40+4"


def test_which_of_two_races_over_the_same_bytes_was_seen_first_does_not_show() -> None:
    first = with_races_visible(EXPLORE, [race(0x10, 1), race(0x10, 2), race(0x11, 4), race(0x15, 1), race(0x12, 0)])
    second = with_races_visible(EXPLORE, [race(0x11, 4), race(0x12, 0), race(0x15, 1), race(0x10, 2)])
    assert first == second and first is not None
    assert first.visible == "10+5,12+0,15+1"


def test_neighbouring_places_are_joined_when_there_are_too_many() -> None:
    known = ",".join(f"{8 * number:x}+8" for number in range(MAX_VISIBLE))
    wider = with_races_visible(replace(EXPLORE, visible=known), [race(0x1000, 4)])
    assert wider is not None
    assert visible_places(wider.visible) == ((0, 8 * MAX_VISIBLE), (0x1000, 4))


def test_places_that_overlap_or_touch_are_one_and_others_are_not() -> None:
    assert joined([(16, 8), (0, 8), (8, 4), (20, 8)]) == ((0, 12), (16, 12))
