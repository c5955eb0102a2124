"""Weak accesses of containers: which orders matter."""

from __future__ import annotations

from collections.abc import Callable, Generator
from functools import partial
from typing import Any

import pytest

from bpor.simulate.action import Action
from bpor.simulate.container import Container
from bpor.simulate.oracle import Oracle
from bpor.simulate.program import program
from tests.unit.search_runs import runs, search

TABLE = Container("t", 4)
Access = Callable[[], Action]
PUT_0, PUT_1 = partial(TABLE.put, 0, 7), partial(TABLE.put, 1, 8)
GET_0, GET_1 = partial(TABLE.get, 0), partial(TABLE.get, 1)


def once(access: Access) -> Callable[[], Generator[Action, Any, None]]:
    def body() -> Generator[Action, Any, None]:
        yield access()

    return body


@pytest.mark.parametrize(
    ("first", "second", "traces"),
    [
        (PUT_0, PUT_1, 1), (PUT_0, PUT_0, 2), (PUT_0, GET_1, 1), (PUT_0, GET_0, 2), (GET_0, GET_0, 1),
        (TABLE.look, PUT_0, 2), (TABLE.look, GET_0, 1), (TABLE.look, TABLE.look, 1),
        (TABLE.clear, GET_0, 2), (TABLE.clear, PUT_0, 2), (TABLE.clear, TABLE.look, 2), (TABLE.clear, TABLE.clear, 2),
    ],
)  # fmt: skip
def test_two_accesses_have_as_many_orders_as_can_be_told_apart(first: Access, second: Access, traces: int) -> None:
    pair = program("pair", [once(first), once(second)])
    assert Oracle(pair).explore().traces == traces
    assert runs(search(pair, None, "optimal")) == (traces, 0)


def test_many_writers_of_different_entries_and_one_who_looks_take_two_orders_each() -> None:
    writers = [once(partial(TABLE.put, entry)) for entry in range(4)]
    assert runs(search(program("table", [*writers, once(TABLE.look)]), None, "optimal")) == (2**4, 0)
