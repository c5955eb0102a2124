"""From a failing execution to a finding: its schedule made small, then repeated in a fresh process.

Invariant: a finding is built only from an execution that failed, in a process of its own, in the way the search saw; one that does not
repeat raises Diverged and is never called a bug.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Protocol

from bpor.errors import Diverged
from bpor.model.executor import Executor
from bpor.model.plan import Plan
from bpor.model.schedule import Schedule
from bpor.model.trace import Description, Trace
from bpor.report.finding import Finding, Kind
from bpor.report.finding_build import build_finding
from bpor.report.next_command import replay_command
from bpor.search.explorer import schedule_of
from bpor.search.livelock import find_livelock
from bpor.search.minimize import minimize
from bpor.search.options import SearchOptions
from bpor.search.result import Failure
from bpor.settings import Settings
from bpor.target.census import Census

MAX_FINDINGS = 20  # reported with --keep-going: each costs a fresh process
MINIMIZE_SECONDS = 5.0


class Describing(Executor, Protocol):
    """An executor that can also tell what a report needs."""

    def describe(self, plan: Plan) -> tuple[Trace, Description]: ...


@dataclass(frozen=True, slots=True)
class Target:
    """What is tested: its name, and how to start it afresh."""

    argv: tuple[str, ...]
    open: Callable[[], AbstractContextManager[Describing]]
    census: Census | None = None

    @property
    def coverage(self) -> str:
        return self.census.coverage if self.census else "calls"


def distinct(failures: Sequence[Failure]) -> list[Failure]:
    """One of each way to fail as far as the traces alone tell, those with the fewest preemptions first."""
    ways: dict[object, Failure] = {}
    for failure in sorted(failures, key=lambda failure: (failure.trace.preemptions, len(failure.schedule))):
        end = failure.trace.end
        ways.setdefault((end.outcome, end.code, end.message, end.stack[:3], failure.livelock is not None), failure)
    return list(ways.values())[:MAX_FINDINGS]


def smallest(executor: Executor, failure: Failure, settings: Settings, clock: Callable[[], float] = time.monotonic) -> Schedule:
    """The smallest schedule we find that fails like this one. A livelock's is its whole length: that is what makes it one."""
    if failure.livelock is not None:
        return failure.schedule
    deadline = clock() + MINIMIZE_SECONDS
    preemptions = {failure.schedule: failure.trace.preemptions}

    def still_fails(candidate: Schedule) -> Schedule | None:
        if clock() > deadline:
            return None
        plan = plan_of(candidate, settings)
        try:
            trace = executor.run(plan)
        except Diverged:
            return None  # the candidate is not a schedule of this program
        if not _alike(trace, failure.trace):
            return None
        executed = schedule_of(plan, trace)
        preemptions[executed] = trace.preemptions
        return executed

    return minimize(failure.schedule, still_fails, preemptions=preemptions.__getitem__)


def confirm(target: Target, failure: Failure, schedule: Schedule, settings: Settings) -> Finding:
    """Raises Diverged if the schedule, in a fresh process, does not end as it did in the search."""
    trace, finding = repeat(target, schedule, settings)
    if finding is None or not _alike(trace, failure.trace):
        expected, got = failure.trace.end.outcome.value, trace.end.outcome.value
        raise Diverged(trace.length, f"{expected} again", got, "something outside the program differs between two runs")
    return finding


def repeat(target: Target, schedule: Schedule, settings: Settings) -> tuple[Trace, Finding | None]:
    """One schedule in a fresh process, and the finding if it fails."""
    with target.open() as executor:
        trace, description = executor.describe(plan_of(schedule, settings))
    return trace, _finding(trace, description, replay_command(schedule, target.argv, settings))


def plan_of(schedule: Schedule, settings: Settings) -> Plan:
    return Plan(prefix=schedule.threads, max_steps=max(settings.max_steps, len(schedule)))


def _alike(one: Trace, other: Trace) -> bool:
    return (one.end.outcome, one.end.code) == (other.end.outcome, other.end.code)


def _finding(trace: Trace, description: Description, command: str) -> Finding | None:
    """A livelock's schedule was fair when the search found it, so it is judged again by the first fair bound."""
    if trace.end.outcome.is_bug:
        return build_finding(trace, description, command)
    livelock = find_livelock(trace, SearchOptions().fair_start)
    if livelock is None:
        return None
    threads = ", ".join(f"T{spinner.thread}" for spinner in livelock.spinners)
    message = f"{threads} go round for ever without progress, each yielding to the others"
    return build_finding(trace, description, command, kind=Kind.LIVELOCK, message=message)
