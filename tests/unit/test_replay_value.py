"""A replay value is a schedule and what gives it its meaning, in one word."""

from __future__ import annotations

import pytest

from bpor.errors import UsageError
from bpor.extension.replay_value import from_value, to_value
from bpor.model.schedule import Schedule
from bpor.settings import Settings


@pytest.mark.parametrize(
    ("settings", "value"),
    [
        (Settings(bound="preemption:2"), "1*2,2"),
        (Settings(gil="off"), "1*2,2@gil=off"),
        (Settings(timeouts="explore", seed=3), "1*2,2@seed=3@timeouts=explore"),
    ],
    ids=str,
)
def test_there_and_back(settings: Settings, value: str) -> None:
    schedule = Schedule((1, 1, 2))
    assert to_value(schedule, settings) == value
    assert from_value(value, Settings(bound=settings.bound)) == (schedule, settings)


def test_what_it_does_not_name_has_its_default_whatever_the_marker_says_now() -> None:
    assert from_value("1", Settings(gil="off"))[1].gil == "real"


@pytest.mark.parametrize(
    ("value", "complaint"),
    [("1*x", "bad schedule"), ("1@gill=off", "'gill' is not one of"), ("1@gil=of", "gil: 'of' is not one of real, off, none")],
)
def test_a_bad_one_is_explained(value: str, complaint: str) -> None:
    with pytest.raises(UsageError, match=complaint):
        from_value(value, Settings())


def test_a_place_in_an_object_of_the_test_has_a_name_that_holds_in_another_process() -> None:
    class Box:
        __slots__ = ("item",)

    box = Box()
    box.item = [object()]
    place = f"{3 << 58 | id(box) + 16:x}+8"
    within = f"{3 << 58 | id(box.item) + 16:x}+8"
    value = to_value(Schedule((1,)), Settings(visible=f"{place},{within},20+4"), {"box": box})
    assert from_value(value, Settings(), {"box": box})[1].visible == f"{place},{within},20+4"


def test_a_place_that_is_not_there_is_said() -> None:
    with pytest.raises(UsageError, match=r"nothing at gone\.10\+8"):
        from_value("1@visible=gone.10+8", Settings(), {"box": object()})
    assert from_value("1@visible=gone.10+8", Settings())[1].visible == ""
