"""Named semaphores: which close is the last one, all of them decide, so plain search and reduction count the same traces."""

from __future__ import annotations

import pytest

from tests.native.compiled import PROGRAMS, compiled
from tests.native.tool import run_inside


@pytest.mark.parametrize("search", ("dpor", "optimal"))
def test_the_order_of_closes_is_tried(search: str) -> None:
    program = compiled(PROGRAMS / "correct/named_semaphore/as_mutex.c")
    every, reduced = (run_inside(program, options=[f"--search={name}", "--bound=none"]).report for name in ("dfs", search))
    assert reduced["distinct_traces"] == every["distinct_traces"] == 10
