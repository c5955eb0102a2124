"""The controller keeps to the processor of its target, and is let go."""

from __future__ import annotations

import math
import os
import subprocess
import sys
from collections.abc import Iterator

import pytest

from bpor.target import company
from bpor.target.company import Company, is_kept, let_go

ALLOWED = os.sched_getaffinity(0)

pytestmark = pytest.mark.skipif(len(ALLOWED) < 2, reason="one processor")


@pytest.fixture
def target() -> Iterator[int]:
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL) as process:
        yield process.pid
        process.kill()
    let_go()
    os.sched_setaffinity(0, ALLOWED)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    now = [100.0]
    monkeypatch.setattr(company.time, "monotonic", lambda: now[0])
    return now


def test_both_are_on_one_processor_until_the_controller_is_let_go(target: int) -> None:
    Company(target).keep()
    assert is_kept()
    assert len(os.sched_getaffinity(0)) == 1 and os.sched_getaffinity(target) == os.sched_getaffinity(0)
    let_go()
    assert not is_kept() and os.sched_getaffinity(0) == ALLOWED


def test_now_and_then_the_system_may_move_the_controller_and_the_target_follows(target: int, clock: list[float]) -> None:
    kept = Company(target)
    kept.keep()
    (here,) = os.sched_getaffinity(0)
    clock[0] += 0.5
    kept.keep()
    assert is_kept()
    clock[0] += 1
    kept.keep()
    assert os.sched_getaffinity(0) == ALLOWED and os.sched_getaffinity(target) == {here}
    os.sched_setaffinity(0, ALLOWED - {here})  # as if the system had moved it
    os.sched_setaffinity(0, ALLOWED)
    clock[0] += 0.5
    kept.keep()
    assert is_kept() and os.sched_getaffinity(target) == os.sched_getaffinity(0)


def test_one_that_was_let_go_by_others_comes_back_when_it_is_time(target: int, clock: list[float]) -> None:
    kept = Company(target)
    kept.keep()
    let_go()
    kept.keep()
    assert not is_kept()
    clock[0] += 2
    kept.keep()
    assert is_kept()


def test_where_there_is_one_processor_or_no_target_nobody_is_kept(target: int) -> None:
    Company(2**22 + 1).keep()
    assert not is_kept() and os.sched_getaffinity(0) == ALLOWED
    os.sched_setaffinity(0, {min(ALLOWED)})
    alone = Company(target)
    alone.keep()
    assert not is_kept() and alone._change_at == math.inf
