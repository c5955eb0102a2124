"""From a failing execution to a finding: its schedule made small, then repeated in a fresh process.

Invariant: a finding is built only from an execution that failed, in a process of its own, in the way the search saw; one that does not
repeat raises Diverged and is never called a bug.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from functools import partial
from typing import TYPE_CHECKING, NamedTuple, Protocol, TypeAlias

from bpor.errors import Diverged, OutOfTime
from bpor.knobs.values import process_states, visible_places
from bpor.lazy_dataclass import dataclass, field, replace
from bpor.model.deadline import Deadline
from bpor.model.executor import Describing, Executor
from bpor.model.plan import Plan
from bpor.model.schedule import Schedule
from bpor.model.trace import Description, Outcome, Trace
from bpor.report.finding import Finding, FindingKind, SourceSite
from bpor.report.next_command import replay_command
from bpor.search.explorer import Checkpoints, schedule_of
from bpor.search.options import SearchOptions
from bpor.search.result import Failure
from bpor.settings import STRONG, Settings
from bpor.target.census import Census, Unseen
from bpor.target.doubts import Doubts

# What tells a failure in words is loaded when there is one: it is a quarter of the start of the tool.
if TYPE_CHECKING:
    from bpor.report.execution import Execution
    from bpor.report.names import Names
    from bpor.search.lasso.check import CheckedLasso

MAX_FINDINGS = 20  # reported with --keep-going: each costs a fresh process
MINIMIZE_SECONDS = 5.0


Recovering: TypeAlias = "Callable[[Checkpoints | None], Checkpoints | None]"


def same(checkpoints: Checkpoints | None) -> Checkpoints | None:
    return checkpoints


class WidenedExecutor(Describing, Protocol):
    """An executor in which more becomes visible when a search has found a race."""

    def widen(self, visible: tuple[tuple[int, int], ...], process_state: str, memory: str) -> None:
        """In later executions plain accesses of these places (object, bytes), and of no others, are operations; so are uses of this
        state of the process (Settings.process_state); atomic accesses may take what this model allows (Settings.memory)."""
        ...


@dataclass(frozen=True, slots=True)
class Subject:
    """What is tested: its name, and how to start it afresh."""

    argv: tuple[str, ...]
    open: Callable[[], AbstractContextManager[WidenedExecutor]]
    look: Callable[[], Census | None] = lambda: None  # what of it is seen; of some kinds that is known when it was opened
    checks_races: bool = True
    deadline: Deadline = field(default_factory=Deadline)  # of everything that is done with it
    beside: Callable[[int], AbstractContextManager[WidenedExecutor]] | None = None  # a search by so many processes; 0: one, here
    assumes: Callable[[], tuple[str, ...]] = tuple  # what is taken for granted about a target of its kind, after the search
    alone: Callable[[], AbstractContextManager[WidenedExecutor]] | None = None  # with a new process for every execution, where that can be
    probed: bool = False  # livelocks are looked for before a search
    silent: Callable[[], tuple[str, ...]] = tuple  # modules under test that are not instrumented, by name
    told: Callable[[], bool] = lambda: True  # instrumented code did something in the explored part of some execution
    blind: Callable[[], bool] = lambda: False  # calls of it reach what threads may share, and are no steps
    doubts: Doubts = field(default_factory=Doubts)  # about its races
    recovering: Recovering = same  # what a search that loses a part of itself goes on from

    @property
    def census(self) -> Census | None:
        return self.look()

    @property
    def coverage(self) -> str:
        coverage = self.census.coverage if self.census else "calls"
        return coverage if self.checks_races else {"memory": "atomics", "machine": "calls"}.get(coverage, coverage)

    @property
    def unseen(self) -> Unseen:
        return self.census.unseen if self.census else Unseen()

    def widened(self, settings: Settings) -> Subject:
        """Started afresh with what the search has found to be shared as operations."""
        visible = visible_places(settings.visible)

        @contextmanager
        def wide(opened: Callable[[], AbstractContextManager[WidenedExecutor]]) -> Iterator[WidenedExecutor]:
            with opened() as executor:
                executor.widen(visible, settings.process_state, settings.memory)
                yield executor

        if not visible and not process_states(settings.process_state) and settings.memory in STRONG:
            return self
        return replace(self, open=partial(wide, self.open), alone=partial(wide, self.alone) if self.alone is not None else None)


class Repeated(NamedTuple):
    execution: Execution
    finding: Finding | None
    stack: tuple[SourceSite, ...]  # of the thread that ended it
    checked: CheckedLasso | None = None  # of a lasso

    @property
    def trace(self) -> Trace:
        return self.execution.trace


def distinct(executor: Executor, failures: Sequence[Failure], settings: Settings, deadline: Deadline) -> list[Failure]:
    """One of each way to fail, those with the fewest preemptions first; their traces are whole, but for one that time did not suffice for.
    Ways that differ in their callers only come last, if there is room.

    Raises Diverged where an execution cannot be repeated to see the whole of it.
    """
    if not failures:
        return []
    from bpor.search.failures import cheapest_first

    ways: dict[object, Failure] = {}
    for failure in cheapest_first(failures):
        if ways and not deadline.left:
            break
        whole = _whole(executor, failure, settings)
        ways.setdefault((_way(whole.trace), whole.livelock is not None), whole)
    places: dict[object, Failure] = {}
    for failure in ways.values():
        end = failure.trace.end
        places.setdefault((end.outcome, end.code, end.stack[:1], _check_of(failure.trace)), failure)
    others = [failure for failure in ways.values() if all(failure is not one for one in places.values())]
    return [*places.values(), *others][:MAX_FINDINGS]


def _whole(executor: Executor, failure: Failure, settings: Settings) -> Failure:
    if failure.trace.first == 0:
        return failure
    try:
        return replace(failure, trace=executor.run(plan_of(failure.schedule, settings)))
    except (OutOfTime, KeyboardInterrupt):
        return failure  # its confirmation will hardly come in time either


def smallest(
    executor: Executor,
    failure: Failure,
    settings: Settings,
    clock: Callable[[], float] = time.monotonic,
    seconds: float = MINIMIZE_SECONDS,
) -> Schedule:
    """The smallest schedule we find in time that fails like this one. A livelock's is its whole length: that is what makes it one."""
    from bpor.search.minimize import minimize

    if failure.livelock is not None:
        return failure.schedule
    deadline = clock() + seconds
    way, ready = _way(failure.trace), _ready_beside_timeouts(failure.trace)
    preemptions = {failure.schedule: failure.trace.preemptions}

    def still_fails(candidate: Schedule) -> Schedule | None:
        if clock() > deadline:
            return None
        plan = replace(plan_of(candidate, settings), tentative=True)
        try:
            trace = executor.run(plan)
        except (Diverged, OutOfTime):
            return None  # the candidate is not a schedule of this program
        if _way(trace) != way or _ready_beside_timeouts(trace) > ready:
            return None
        executed = schedule_of(plan, trace)
        preemptions[executed] = trace.preemptions
        return executed

    return minimize(failure.schedule, still_fails, preemptions=preemptions.__getitem__)


def _ready_beside_timeouts(trace: Trace) -> int:
    """How many threads could go on where one's time was up: those that a fair bound kept waiting. To let it be up beside more of them
    would break the assumption that timeouts happen when nobody else can go on."""
    timeouts = (step for step in trace.steps if step.timed >> step.thread & 1)
    return max(((step.enabled & ~step.timed).bit_count() for step in timeouts), default=0)


def way_of(trace: Trace) -> object:
    """Of executions that failed in the same one a search keeps the cheapest; what raced is to become visible, all of it."""
    end = trace.end
    return _way(trace), (end.object, end.object_bytes) if end.outcome is Outcome.RACE else None


def _way(trace: Trace) -> object:
    from bpor.search.failures import manner

    return manner(trace), _check_of(trace)


def _check_of(trace: Trace) -> object:
    """The check that the program itself says has failed: two that end the process with the same exit status are two failures."""
    from bpor.report.own_failure import own_failure

    failure = own_failure(trace.end)
    return (failure.test, failure.file, failure.line) if failure is not None else None


def confirm(target: Subject, failure: Failure, schedule: Schedule, settings: Settings) -> Finding:
    """Raises Diverged if the schedule does not end as it did in the search: in a process that runs nothing else, whatever the search's mode
    was, and in the one that tells what a report needs."""
    if target.alone is not None:
        with target.alone() as executor:
            _require_same(failure, executor.run(plan_of(schedule, settings)))
    execution, finding, *_ = repeat(target, schedule, settings)
    _require_same(failure, execution.trace, finding is not None)
    assert finding is not None
    return finding


def _require_same(failure: Failure, trace: Trace, found: bool = True) -> None:
    from bpor.search.failures import manner

    if not found or manner(trace, addresses=False) != manner(failure.trace, addresses=False):
        expected, got = failure.trace.end.outcome.value, trace.end.outcome.value
        raise Diverged(trace.length, f"{expected} again", got, "something outside the program differs between two runs")


def repeat(target: Subject, schedule: Schedule, settings: Settings) -> Repeated:
    """One schedule in a fresh process, and the finding if it fails."""
    from bpor.report.execution import execution_of
    from bpor.report.names import Names
    from bpor.report.order_remedy import remedy_of
    from bpor.report.why import with_why

    if schedule.round:
        return _repeat_lasso(target, schedule, settings)
    with target.open() as executor:
        trace, description = executor.describe(plan_of(schedule, settings))
        finding = finding_of(trace, description, replay_command(schedule, target.argv, settings))
        if finding is not None:
            finding = replace(finding, argv=target.argv, settings=settings)
            with suppress(KeyboardInterrupt):  # whoever waits has waited enough: it is told with what is known by then
                finding = with_why(finding, executor, target.argv, settings, seconds=target.deadline.left)
                finding = replace(finding, remedy=remedy_of(finding, executor, settings, target.deadline.left))
    return Repeated(execution_of(trace, description), finding, Names(description).stack(trace.end.stack))


def _repeat_lasso(target: Subject, lasso: Schedule, settings: Settings) -> Repeated:
    """Stem, round, round, compared; then the stem and one round once more, told."""
    from bpor.report.execution import execution_of
    from bpor.report.livelock_build import livelock_finding
    from bpor.search.lasso.check import check
    from bpor.search.lasso.leaving import Leaving, who_leaves
    from bpor.search.livelock import livelock_of

    with target.open() as executor:
        checked = check(executor, lasso, settings.max_steps, settings.rounds)
        leaving = who_leaves(executor, lasso, checked.trace) if checked.is_proved and len(set(lasso.round)) > 1 else Leaving.UNKNOWN
        trace, description = executor.describe(Plan(prefix=lasso.unrolled(1).threads, max_steps=len(lasso) + 1, stop_after_prefix=True))
    finding = None
    if checked.endless and trace.end.outcome is Outcome.STOPPED:
        livelock = livelock_of(lasso, checked, leaving)
        finding = livelock_finding(lasso, livelock, trace, description, replay_command(lasso, target.argv, settings))
        finding = replace(finding, argv=target.argv, settings=settings)
    return Repeated(execution_of(trace, description), finding, (), checked)


def places(executor: WidenedExecutor, addresses: tuple[int, ...]) -> tuple[SourceSite, ...]:
    """A stack of return addresses of this target by file and line."""
    names = _names(executor) if addresses else None
    return names.stack(addresses) if names is not None else ()


def lines(executor: WidenedExecutor, addresses: tuple[int, ...]) -> tuple[SourceSite, ...]:
    """The user's own line behind each return address, whatever it was inlined into."""
    names = _names(executor) if addresses else None
    if names is None:
        return ()
    return tuple(stack[0] for address in addresses if (stack := names.stack((address,))))


def _names(executor: WidenedExecutor) -> Names | None:
    """Asked of an execution that stops at once: only the modules are wanted. None: there is no time for it."""
    from bpor.report.names import Names

    try:
        return Names(executor.describe(Plan(stop_after_prefix=True))[1])
    except OutOfTime:
        return None


def plan_of(schedule: Schedule, settings: Settings) -> Plan:
    from bpor.search.lasso.check import lasso_plan

    if schedule.round:
        return lasso_plan(schedule, settings.rounds)
    return Plan(prefix=schedule.threads, max_steps=max(settings.max_steps, len(schedule)))


def finding_of(trace: Trace, description: Description, command: str = "") -> Finding | None:
    """A livelock's schedule was fair when the search found it, so it is judged again by the first fair bound."""
    from bpor.report.explain_livelock import explain_livelock
    from bpor.report.finding_build import build_finding
    from bpor.search.livelock import find_livelock

    if trace.end.outcome.is_bug:
        return build_finding(trace, description, command)
    livelock = find_livelock(trace, SearchOptions().fair_start)
    if livelock is None:
        return None
    message = explain_livelock(trace, livelock, description)
    return build_finding(trace, description, command, kind=FindingKind.LIVELOCK, message=message)
