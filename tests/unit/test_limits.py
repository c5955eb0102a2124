"""Limits of time hold by mechanism, with clocks of our own: nobody waits here."""

from __future__ import annotations

import math
import subprocess
from dataclasses import dataclass

import pytest

from bpor.errors import OutOfTime
from bpor.model.deadline import LATEST, Deadline
from bpor.model.plan import Plan
from bpor.model.trace import Trace
from bpor.search.bounds import NONE
from bpor.search.budget import Budget, SearchStop
from bpor.search.explorer import Explorer
from bpor.search.options import SearchOptions
from bpor.search.registry import make_strategy
from bpor.target.watch import AT_LAST, Sight, TargetWatch, at_work, sight


@dataclass
class World:
    """A thread of another process, and a clock."""

    now: float = 0.0
    progress: int = 0
    thread: tuple[int, int] = (7, 7)
    runnable: bool = True
    used: float = 0.0

    def watch(self, limit: float = 10.0) -> TargetWatch:
        return TargetWatch(
            limit, lambda: self.progress, lambda: self.thread, lambda: self.now, lambda *who: Sight(who, self.runnable, self.used)
        )

    def overdue_after(self, watch: TargetWatch, seconds: float, share: float = 1.0) -> float | None:
        """When the watch, looked at ten times a second, says so; the thread has this share of a processor."""
        for _ in range(round(seconds * 10)):
            self.now += 0.1
            self.used += 0.1 * share
            if watch.overdue():
                return self.now
        return None


def test_a_thread_that_spins_alone_is_overdue_at_the_limit() -> None:
    world = World()
    assert world.overdue_after(world.watch(), 20) == pytest.approx(10, abs=0.2)


def test_a_thread_that_waits_is_overdue_at_the_limit_though_it_uses_no_processor() -> None:
    world = World(runnable=False)
    assert world.overdue_after(world.watch(), 20, share=0) == pytest.approx(10, abs=0.2)


def test_a_busy_machine_makes_the_watchdog_late_and_not_a_liar() -> None:
    world = World()
    watch = world.watch()
    assert world.overdue_after(watch, 60, share=0.1) is None
    assert world.overdue_after(watch, 60, share=0.1) == pytest.approx(100, abs=1)


def test_a_thread_that_never_gets_a_processor_ends_all_the_same() -> None:
    world = World()
    assert world.overdue_after(world.watch(1.0), 100, share=0) == pytest.approx(AT_LAST, abs=1)


@pytest.mark.parametrize("change", ["progress", "thread"])
def test_a_scheduling_state_begins_the_limit_anew(change: str) -> None:
    world = World()
    watch = world.watch()
    assert world.overdue_after(watch, 9) is None
    if change == "progress":
        world.progress += 1
    else:
        world.thread = (7, 8)
    assert world.overdue_after(watch, 9) is None
    assert world.overdue_after(watch, 2) is not None


def test_a_process_that_is_gone_counts_as_waiting() -> None:
    assert not sight(0, 0).runnable


def test_a_deadline_gives_what_is_left_a_courtesy_when_it_is_over_and_nothing_after_the_last() -> None:
    now = [0.0]
    deadline = Deadline(10, clock=lambda: now[0])
    assert (deadline.left, deadline.allows(0.3)) == (10, 10)
    now[0] = 9.9
    assert deadline.allows(0.3) == pytest.approx(0.3)
    now[0] = 11.0
    assert deadline.left == 0
    assert (deadline.allows(0.3), deadline.allows(LATEST)) == (pytest.approx(0.3), pytest.approx(LATEST - 1))
    now[0] = 12.0
    assert deadline.allows(LATEST) == 0
    assert math.isinf(Deadline(None, clock=lambda: now[0]).allows(1))


def test_a_failure_moves_the_end_of_a_deadline_that_is_near_or_over() -> None:
    now = [0.0]
    deadline = Deadline(10.0, clock=lambda: now[0])
    deadline.prolong(4.0)
    assert deadline.left == 10.0
    now[0] = 11.0
    deadline.prolong(4.0)
    assert deadline.left == 4.0 and not deadline.endless


def test_time_that_is_over_in_an_execution_ends_the_search_as_time_that_is_over_between_two() -> None:
    class Endless:
        explores = False

        def run(self, plan: Plan) -> Trace:
            raise OutOfTime("in the midst of it")

    result = Explorer(Endless(), make_strategy(None, NONE, SearchOptions(), 0), Budget()).run()
    assert result.stop is SearchStop.MAX_TIME
    assert not result.exhausted


def test_a_process_that_waits_for_its_child_is_at_work_there() -> None:
    """A test's serial orders are run by copies of its process. On a busy machine that was taken for one that never comes to its threads."""
    shell = subprocess.Popen(["sh", "-c", "echo; read line; true"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    parent = subprocess.Popen(["sh", "-c", "(read line; true); true"], stdin=subprocess.PIPE)
    try:
        assert shell.stdout is not None and shell.stdout.readline() == b"\n"
        assert at_work(shell.pid) == (shell.pid, shell.pid)
        while (worker := at_work(parent.pid)) == (parent.pid, parent.pid):
            pass
        assert worker[0] > 0 and parent.poll() is None
    finally:
        shell.communicate()
        parent.communicate()
