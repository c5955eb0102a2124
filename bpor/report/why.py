"""Fills in why a finding failed: the nearest execution that passes, with names from the source."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from bpor.errors import Diverged, OutOfTime
from bpor.lazy_dataclass import replace
from bpor.model.executor import Describing
from bpor.model.plan import Plan
from bpor.model.trace import Outcome
from bpor.report.finding import Finding, FindingKind, SourceStep, Why
from bpor.report.finding_steps import source_steps
from bpor.report.names import Names
from bpor.report.next_command import replay_command
from bpor.search.neighbour import nearest_passing
from bpor.settings import Settings

SECONDS = 2.0


def with_why(
    finding: Finding,
    executor: Describing,
    argv: Sequence[str],
    settings: Settings,
    clock: Callable[[], float] = time.monotonic,
    seconds: float = SECONDS,
) -> Finding:
    """The finding with its `why`; as it is where one ordering does not make the difference, or no time was left to find it."""
    if finding.kind is FindingKind.LIVELOCK or not seconds:
        return finding
    deadline = clock() + min(seconds, SECONDS)
    try:
        found = nearest_passing(executor, finding.trace, lambda: clock() < deadline)
        if found is None:
            return finding
        passed, description = executor.describe(Plan(prefix=found.schedule.threads, max_steps=len(found.schedule) + 1))
    except OutOfTime:
        return finding
    except Diverged:
        return finding  # a program that does not repeat itself is told apart elsewhere; there is nothing to compare with
    names = Names(finding.description)
    described = bool(description.modules)
    source_steps(finding.trace, names, described)  # so that an object has one name in both
    steps = source_steps(passed, Names(description, like=names), described)
    earlier = _nth(steps, found.race.thread, found.race.number)
    if passed.end.outcome is not Outcome.PASSED or earlier is None:
        return finding
    command = replay_command(found.schedule, argv, settings)
    later = finding.steps[found.race.index]
    return replace(finding, why=Why(earlier, later, found.schedule, steps, passed, description, command, found.reversed_races))


def _nth(steps: Sequence[SourceStep], thread: int, number: int) -> SourceStep | None:
    mine = [step for step in steps if step.thread == thread]
    return mine[number] if number < len(mine) else None
