"""The text form of bounds."""

from __future__ import annotations

import pytest

from bpor.errors import UsageError
from bpor.model.plan import Limits
from bpor.search.bounds import NONE, Bound, BoundKind, Term, parse_bound


@pytest.mark.parametrize(
    "text",
    ["none", "preemption:2", "fair:2", "fair:2,preemption:2", "preemption:0..3", "fair:1..2,preemption:0..3", "context:3", "delta:1",
     "depth:20", "local-depth:5", "local-context:2"],
)  # fmt: skip
def test_a_bound_survives_the_round_trip_through_its_text(text: str) -> None:
    assert str(parse_bound(text)) == text
    assert parse_bound(str(parse_bound(text))) == parse_bound(text)


def test_the_order_of_the_terms_does_not_matter() -> None:
    assert parse_bound("preemption:2,fair:1") == parse_bound("fair:1,preemption:2")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "is not KIND:N"),
        ("preemption", "is not KIND:N"),
        ("preemption:", "is not KIND:N"),
        ("preemption:-1", "is not KIND:N"),
        ("preemption:1.5", "is not KIND:N"),
        ("preemption:2,", "is not KIND:N"),
        ("premption:2", "there is no kind 'premption'"),
        ("preemption:3..1", "is empty"),
        ("preemption:1,preemption:2", "twice"),
        ("context:1,preemption:2", "only fair combines"),
        ("local-depth:3,fair:2", "only fair combines"),
        ("none,preemption:1", "is not KIND:N"),
        ("preemption:9999999", "more than"),
        ("preemption:0..5000", "levels"),
        ("fair:²", "is not KIND:N"),
    ],
)
def test_a_malformed_bound_says_why_and_shows_the_grammar(text: str, reason: str) -> None:
    with pytest.raises(UsageError, match=r"KIND:LOW\.\.HIGH") as error:
        parse_bound(text)
    assert reason in str(error.value)
    assert "local-context (experimental)" in str(error.value)


def test_a_range_is_searched_level_by_level_from_the_smallest() -> None:
    assert [str(level) for level in parse_bound("fair:2,preemption:0..2").levels()] == [
        "fair:2,preemption:0",
        "fair:2,preemption:1",
        "fair:2,preemption:2",
    ]
    assert list(NONE.levels()) == [NONE]


def test_what_the_runtime_applies_by_itself_stands_in_the_limits() -> None:
    assert parse_bound("fair:2,preemption:1").limits == Limits(preemption=1, fair=2)
    assert parse_bound("fair:2,context:3").limits == Limits(fair=2, context=3)


def test_a_bound_states_what_completing_it_covers() -> None:
    assert NONE.statement() == "all schedules"
    assert parse_bound("fair:2,preemption:1").statement() == "all schedules with ≤ 1 preemption (fair:2)"
    assert parse_bound("context:3").statement() == "all schedules with ≤ 3 context switches"
    assert Bound((Term(BoundKind.FAIR, 4, 4),)).statement() == "all schedules (fair:4)"
