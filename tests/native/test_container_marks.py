"""Marks of bpor.h for containers: accesses of different entries are independent, those of the whole depend on every change."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from bpor.api import check
from bpor.report.result import Result
from bpor.report.verdict import VerdictKind
from bpor.settings import Settings
from tests.native.compiled import compiled

SOURCE = Path(__file__).with_name("container.c")
TRUST = "independent:function:map_*"


def explored(*scripts: str, trust: str = TRUST, search: str | None = None) -> Result:
    settings = Settings(bound="none", trust=trust, search=search, outcomes=True, state="none", memory="sc")
    result = check([str(compiled(SOURCE)), *scripts], settings)
    assert result.verdict.kind is VerdictKind.PASS, result.verdict
    return result


def printed(result: Result) -> set[bytes]:
    return {output.stdout for output in result.outcomes}


def traces(result: Result) -> int:
    assert result.search is not None
    return result.search.counts.distinct_traces


@pytest.mark.parametrize(
    ("scripts", "orders"),
    [
        (("p0", "p1", "p2"), 1),  # three keys
        (("p0", "p0", "p1"), 2),
        (("g0", "g0", "s"), 1),  # nobody writes
        (("p0", "s"), 2),
        (("p0", "p1", "c"), 4),
        (("g0p0", "g0p0"), 4),  # of six: the two reads commute
    ],
)
def test_only_accesses_of_one_entry_and_of_the_whole_are_ordered(scripts: tuple[str, ...], orders: int) -> None:
    assert traces(explored(*scripts)) == orders


def test_the_verdict_names_what_it_takes_on_trust() -> None:
    assert "taken on trust: function:map_*, independent of all else" in explored("p0", "p1").verdict.assumptions


@pytest.mark.parametrize("seed", range(6))
def test_everything_that_can_be_printed_is_printed_with_the_inside_trusted(seed: int) -> None:
    """As without any trust, by the search of `--bound none` and by two others."""
    scripts = drawn(random.Random(seed))
    everything = printed(explored(*scripts, trust=""))
    for search in (None, "optimal", "dpor"):
        trusting = explored(*scripts, search=search)
        assert printed(trusting) == everything, scripts


def drawn(source: random.Random) -> list[str]:
    def operation() -> str:
        word = source.choice("ggppsc")
        return word + (str(source.randrange(2)) if word in "gp" else "")

    return ["".join(operation() for _ in range(source.randint(1, 2))) for _ in range(source.randint(2, 3))]
