"""Snapshot: what comes back is what was saved, and a damaged one raises."""

from __future__ import annotations

import json
from typing import Any

import pytest

from bpor.model.operation import ObjectAccess, Operation
from bpor.protocol.ops import Op
from bpor.search.engine.cells import Cells
from bpor.search.snapshot import Snapshot


class Link:
    __slots__ = ("next", "value")

    def __init__(self, value: Any) -> None:
        self.value = value
        self.next: Link | None = None


def there_and_back(value: Any, cells: Cells | None = None) -> Any:
    saved = Snapshot([Link], Cells()).pack(value)
    return Snapshot([Link], cells or Cells()).unpack(json.loads(json.dumps(saved)))


def test_values_come_back_with_their_types() -> None:
    operation = Operation(Op.MUTEX_LOCK, (ObjectAccess(4, True),))
    value = {"a": [1, None, 2.5, True], (1, "b"): {3, 4}, 5: (frozenset({6}), operation, ObjectAccess(7, False, 8)), 2**70: []}
    assert there_and_back(value) == value


def test_shared_objects_stay_shared_and_cycles_do_no_harm() -> None:
    one, other = Link("one"), Link("other")
    one.next, other.next = other, one
    first, second, again = there_and_back([one, other, one])
    assert first is again and first.next is second and second.next is first


def test_a_chain_of_any_length_needs_no_recursion() -> None:
    chain = Link(0)
    for number in range(1, 20_000):
        longer = Link(number)
        longer.next, chain = chain, longer
    link: Link | None = there_and_back(chain)
    length = 0
    while link is not None:
        length, link = length + 1, link.next
    assert length == 20_000


def test_what_speaks_of_cells_speaks_of_the_new_ones() -> None:
    footprint, cells = (ObjectAccess(4, True), ObjectAccess(9, False)), Cells()
    touches, watch = there_and_back([Cells().resolve(footprint), Cells().resolve(footprint).watch], cells)
    assert touches is cells.resolve(footprint)
    assert watch.usable and watch.conflicts(cells.resolve((ObjectAccess(9, True),)))


@pytest.mark.parametrize("damaged", [[], [["Popen", "ls"]], [["Link", 1]], [["list", [7]]], [["tuple", [0]]], [["Op", -1]], [["dict", 1]]])
def test_a_damaged_snapshot_raises(damaged: list[list[Any]]) -> None:
    with pytest.raises((ValueError, TypeError, KeyError, IndexError)):
        Snapshot([Link], Cells()).unpack(damaged)


def test_a_class_that_was_not_named_is_not_saved() -> None:
    with pytest.raises(TypeError, match="cannot be saved"):
        Snapshot([], Cells()).pack([Link(1)])
