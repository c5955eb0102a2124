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
