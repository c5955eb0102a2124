"""What a report and --step say that a thread holds is what it holds: in every state the steps say the same as the runtime's own model."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from bpor.model.plan import Plan
from bpor.report.finding_steps import lock_changes
from bpor.target.executor import NativeExecutor

PROGRAMS = (
    "correct/once/once.c",
    "correct/once/callers.c",
    "correct/once/left_by_exit.c",
    "correct/once/done_before_main.c",
    "buggy/deadlock/once_and_lock.c",
    "correct/mutex/counter.c",
)


@pytest.mark.parametrize("name", PROGRAMS)
def test_in_every_state_the_steps_tell_what_the_runtime_holds(name: str, program: Callable[..., Path]) -> None:
    with NativeExecutor([str(program(name))]) as executor:
        trace = executor.run(Plan())
        schedule = [step.thread for step in trace.steps]
        assert schedule
        held: set[tuple[int, int]] = set()
        for number, step in enumerate(trace.steps[:-1], 1):
            taken, given = lock_changes(step)
            held = held - {(step.thread, lock) for lock in given} | {(step.thread, lock) for lock in taken}
            _, description = executor.describe(Plan(prefix=schedule[:number], stop_after_prefix=True))
            assert set(description.held) == held, f"after step {number} of {len(schedule)}: {step.operation.kind}"
