"""What the ends of threads cost: they commute while main is there, so they take no schedules of their own."""

from __future__ import annotations

import pytest

from bpor import check
from tests.native.compiled import PROGRAMS, compiled


@pytest.mark.parametrize("bound", ["none", "preemption:0"])
def test_threads_that_leave_by_pthread_exit_take_one_execution(bound: str) -> None:
    program = compiled(PROGRAMS / "correct" / "thread" / "twelve_exit.c")
    search = check([str(program)], bound=bound).search
    assert search is not None
    assert search.executions == 1
