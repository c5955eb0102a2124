"""A table of hashes, saved and loaded."""

from __future__ import annotations

import itertools
from array import array

import pytest

from bpor.errors import MemberLost
from bpor.lazy_dataclass import replace
from bpor.model.exploration import Hashes, Told
from bpor.search.distinct import Distinct, united
from bpor.search.tally import Tally


def test_the_table_of_a_tree_that_nobody_began_is_an_empty_one() -> None:
    """It is saved so when counts begin anew behind a batch without an execution, on a cluster."""
    table = Distinct(16)
    table.load({"level": 0, "used": 0, "zero": False, "bits": 8, "slots": b""})
    table.add_all([5, 6, 5])
    assert table.count == 2


def test_a_table_that_lost_its_hashes_is_damaged() -> None:
    with pytest.raises(ValueError, match="damaged"):
        Distinct(16).load({"level": 0, "used": 1, "zero": False, "bits": 8, "slots": b""})


@pytest.mark.parametrize("cut", [MemberLost, KeyboardInterrupt])
def test_tables_whose_fetching_was_cut_short_are_fetched_again(cut: type[BaseException]) -> None:
    """A search that was interrupted while they came said that there were no states, and could have saved a part of them."""
    first, tries = array("Q", [1, 2, 3]).tobytes(), itertools.count()

    def second() -> bytes:
        if next(tries) == 0:
            raise cut
        return array("Q", [3, 4]).tobytes()

    both = united([Hashes(used=3, table=lambda: first), Hashes(used=2, table=second)], 16)
    with pytest.raises(cut):
        both.save()
    assert both.count == 4 and both.save()["used"] == 4


def test_a_search_that_was_resumed_estimates_what_one_that_was_not_does() -> None:
    """Python's tables have more room than those beside the program: one that was loaded kept more hashes, and the estimate was another."""
    room, values = 16, [value * 0x9E3779B97F4A7C15 % 2**64 for value in range(1, 1000)]

    def table(part: list[int]) -> Distinct:
        one = Distinct(room)
        one.add_all(part)
        return one

    saved, tally = Tally(1 << 20), Tally(1 << 20)
    saved.executions, saved.states = 1, table(values[:100])
    tally.load(saved.save())
    later = table(values[100:]).told()
    tally.tell([Told(states=replace(later, cap=room))])
    assert tally.counts().states_estimated
    assert tally.counts().local_states == table(values).count
