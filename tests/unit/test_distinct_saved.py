"""A table of hashes, saved and loaded."""

from __future__ import annotations

import pytest

from bpor.search.distinct import Distinct


def test_the_table_of_a_tree_that_nobody_began_is_an_empty_one() -> None:
    """It is saved so when counts begin anew behind a batch without an execution, on a cluster."""
    table = Distinct(16)
    table.load({"level": 0, "used": 0, "zero": False, "bits": 8, "slots": b""})
    table.add_all([5, 6, 5])
    assert table.count == 2


def test_a_table_that_lost_its_hashes_is_damaged() -> None:
    with pytest.raises(ValueError, match="damaged"):
        Distinct(16).load({"level": 0, "used": 1, "zero": False, "bits": 8, "slots": b""})
