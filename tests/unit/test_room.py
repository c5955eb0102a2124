"""--max-memory: smaller tables, whose counts are estimates with an error that is stated and holds."""

from __future__ import annotations

import random

import pytest

from bpor.errors import UsageError
from bpor.knobs.sizes import read_size, size_text
from bpor.report.counted import estimated
from bpor.search.distinct import Distinct, united
from bpor.search.options import SearchOptions
from bpor.search.room import within


def test_amounts_of_memory_are_read_and_written() -> None:
    assert [read_size(text) for text in ("none", "256M", "2G", "1.5G")] == [None, 256 << 20, 2 << 30, 3 << 29]
    assert [size_text(size) for size in (None, 256 << 20, 2 << 30, 3 << 29)] == ["none", "256M", "2G", "1536M"]
    for text, reason in (("2", "such as 512M"), ("2K", "such as 512M"), ("16M", "less than the 256M")):
        with pytest.raises(ValueError, match=reason):
            read_size(text)


def test_less_memory_is_smaller_tables_and_enough_of_it_changes_nothing() -> None:
    assert within(SearchOptions(), None) == SearchOptions()
    large, small = within(SearchOptions(), 4 << 30), within(SearchOptions(), 256 << 20)
    assert (large.distinct_cap, large.narrowed) == (SearchOptions().distinct_cap, 0)
    assert (small.distinct_cap, small.match_limit, small.narrowed) == (1 << 18, 1 << 18, 2)


def test_executions_that_would_not_fit_are_refused_before_the_first() -> None:
    with pytest.raises(UsageError, match=r"--max-memory 512M is enough for executions of \d+ steps, and --max-steps 1000000 is more"):
        within(SearchOptions(max_steps=1_000_000), 512 << 20)


@pytest.mark.parametrize("parts", [1, 3])
def test_an_estimate_lies_within_the_error_that_is_stated(parts: int) -> None:
    """Two standard deviations: 19 of 20 times; at least 17 of 20 here."""
    draw, real, right = random.Random(7), 30_000, 0
    for _ in range(20):
        tables = [Distinct(512) for _ in range(parts)]
        for _ in range(real):
            value = draw.getrandbits(64)
            tables[draw.randrange(parts)].add(value)
        counted = united([table.told() for table in tables], 512)
        assert counted.estimated and 0 < counted.error < 0.15
        right += abs(counted.count - real) <= counted.error * real
    assert right >= 17


@pytest.mark.parametrize("real", [1536, 1537, 5_000, 30_000])
def test_several_tables_say_what_one_would_have_said(real: int) -> None:
    """However the hashes came to them, and in whatever order."""
    draw = random.Random(real)
    values = [draw.getrandbits(64) for _ in range(real)]
    one, parts = Distinct(512), [Distinct(512) for _ in range(5)]
    one.add_all(values)
    for value in reversed(values):
        for part in draw.sample(parts, draw.randint(1, 3)):
            part.add(value)
    several = united([part.told() for part in parts], 1 << 20)
    assert (several.count, several.error) == (one.count, one.error)
    assert one.estimated == (real > 1536)


def test_an_exact_count_has_no_error_and_an_estimate_says_its_own() -> None:
    exact = Distinct(512)
    exact.add_all(range(1, 100))
    assert (exact.count, exact.error) == (99, 0.0)
    assert estimated(99, 0.0) == "99"
    assert estimated(113_000, 0.0042) == "about 113000 ± 0.4 %"
