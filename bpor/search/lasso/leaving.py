"""Can anybody leave a round? The states around it are tried, thread by thread, until one schedule comes to its end, none does, or the
tries run out."""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum

from bpor.errors import Diverged
from bpor.lazy_dataclass import replace
from bpor.model.executor import Executor
from bpor.model.plan import Limits, Plan
from bpor.model.policy import threads_in
from bpor.model.schedule import Schedule
from bpor.model.trace import Outcome, Trace
from bpor.search.lasso.rounds import able

_TRIES = 400  # executions
_BOLD = 24  # of them, that go on to their end
_FURTHER = 400  # steps that such a one may take


class Leaving(Enum):
    NOBODY = "nobody"  # every schedule from the round on goes on for ever
    OTHERS = "others"  # other schedules come to an end
    UNKNOWN = "unknown"


def who_leaves(executor: Executor, lasso: Schedule, trace: Trace) -> Leaving:
    """`trace`: of the lasso, with its states."""
    if any(_ends(executor, prefix) for prefix in _aside(lasso, trace)):
        return Leaving.OTHERS
    return _closed(executor, lasso, trace)


def _aside(lasso: Schedule, trace: Trace) -> Iterator[tuple[int, ...]]:
    """Schedules that leave the round at one of its states."""
    threads = lasso.unrolled(1).threads
    tries = 0
    for index in range(len(lasso.threads), len(threads)):
        for thread in threads_in(trace.steps[index].enabled & ~(1 << threads[index])):
            if tries < _BOLD:
                tries += 1
                yield (*threads[:index], thread)


def _ends(executor: Executor, prefix: tuple[int, ...]) -> bool:
    plan = Plan(prefix=prefix, limits=Limits(fair=2), max_steps=len(prefix) + _FURTHER, report_from=1 << 30)
    trace = _run(executor, plan)
    return trace is not None and trace.end.outcome.is_complete


def _closed(executor: Executor, lasso: Schedule, trace: Trace) -> Leaving:
    """Every state that can be reached from the round, if they are few."""
    threads = lasso.unrolled(1).threads
    states = range(len(lasso.threads), len(threads))
    found: dict[int | None, tuple[int, ...]] = {trace.states[index]: threads[:index] for index in states}
    left = [(threads[:index], trace.steps[index].enabled, able(trace)[index]) for index in states]
    at, tries = Plan(stop_after_prefix=True, identify=True, lasso=True), 0
    while left:
        prefix, enabled, wanting = left.pop()
        for thread in threads_in(enabled):
            tries += 1
            further = (*prefix, thread)
            after = _run(executor, replace(at, prefix=further, report_from=len(further), max_steps=len(further) + 1))
            if after is None:
                return Leaving.UNKNOWN
            if after.end.outcome.is_complete:
                return Leaving.OTHERS
            if tries == _TRIES or wanting != enabled or after.end.outcome is not Outcome.STOPPED or not after.states or after.unidentified:
                return Leaving.UNKNOWN
            if after.states[-1] not in found:
                found[after.states[-1]] = further
                left.append((further, after.enabled, able(after)[-1]))
    return Leaving.NOBODY


def _run(executor: Executor, plan: Plan) -> Trace | None:
    """None: a thread of the plan cannot run. A wait times out when nobody else can go on, and who is held back by a bound differs
    between the round, which was found within the search's bound, and what is tried here."""
    try:
        return executor.run(plan)
    except Diverged:
        return None
