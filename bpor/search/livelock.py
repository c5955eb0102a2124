"""Long executions, judged: a livelock, a thread that starves others, or neither. Pure functions over a *whole* trace.

Where states have identities a livelock is a lasso (lasso/): a round that comes back to its state. Without them it is a guess.

Livelock (the criterion): the step limit was reached under the fair bound, and in the last half every thread that is enabled at the end
yielded more than `fair` times and met nothing new: no call site that the first half had not, and, which is our addition, no new answer
there. The answers matter because a correct loop may yield a million times: a thread that is told something new each time round (a
counter, a growing value) makes progress, and one that asks nothing at all between its yields waits for nobody. Neither is a livelock.
"""

from __future__ import annotations

from enum import StrEnum

from bpor.lazy_dataclass import dataclass
from bpor.model.operation import ObjectAccess
from bpor.model.policy import threads_in
from bpor.model.schedule import Schedule
from bpor.model.step import Step
from bpor.model.trace import Outcome, Trace
from bpor.search.lasso.check import CheckedLasso, Proof
from bpor.search.lasso.counters import Counter
from bpor.search.lasso.leaving import Leaving


@dataclass(frozen=True, slots=True)
class VainWait:
    """What one thread of the cycle keeps asking for."""

    object: int
    value: int  # the answer it always gets
    last_writer: int | None  # thread of the last step that wrote it; None: nobody ever did
    last_write: int | None  # index of that step


@dataclass(frozen=True, slots=True)
class Spinner:
    """One thread of a cycle: the call sites it goes round, once each in order, and what it waits for."""

    thread: int
    sites: tuple[int, ...]
    steps: tuple[Step, ...]  # one round: from one yield to the next at the same place
    waits: tuple[VainWait, ...]


class Nature(StrEnum):
    """What is known of a livelock, in words."""

    NEVER_ENDS = "can never end"
    MAY_GO_ON = "may go on for ever"
    OTHERS_LEAVE = "may go on for ever; other schedules leave it"
    WAITS = "waits for ever"  # one thread alone
    COUNTS = "not proved"  # alike to the step limit, but for words that count
    NOT_COMPARED = "not compared"  # to the step limit, by a lasso, without identities
    GUESSED = ""  # by the criterion for long executions


@dataclass(frozen=True, slots=True)
class Livelock:
    spinners: tuple[Spinner, ...]
    blocked: tuple[int, ...]  # unfinished threads that are not enabled at the end
    start: int  # index of the first step of the part in which nothing new happened; of a lasso: of its first round
    nature: Nature = Nature.GUESSED
    counters: tuple[Counter, ...] = ()  # what differs from round to round

    @property
    def is_proved(self) -> bool:
        return self.nature not in (Nature.COUNTS, Nature.NOT_COMPARED, Nature.GUESSED)


@dataclass(frozen=True, slots=True)
class Starvation:
    """A thread that ran alone to the step limit while others could run."""

    thread: int
    starved: tuple[int, ...]
    sites: tuple[int, ...]
    yields: bool  # False: no fair bound can stop it, the loop needs a yield
    hint: str


def find_livelock(trace: Trace, fair: int) -> Livelock | None:
    if trace.end.outcome is not Outcome.STEP_LIMIT or trace.first or not trace.enabled:
        return None
    half = len(trace.steps) // 2
    spinners = []
    for thread in threads_in(trace.enabled):
        late = [step for step in trace.steps[half:] if step.thread == thread]
        early = [step for step in trace.steps[:half] if step.thread == thread]
        if sum(step.yields for step in late) <= fair or not _asks(late) or not _nothing_new(early, late):
            return None
        spinners.append(_spinner(trace, thread, late))
    blocked = tuple(thread for thread in _unfinished(trace) if not trace.enabled >> thread & 1)
    return Livelock(tuple(spinners), blocked, half)


def livelock_of(lasso: Schedule, checked: CheckedLasso, leaving: Leaving = Leaving.UNKNOWN) -> Livelock:
    """A lasso that goes on for ever."""
    trace, start, end = checked.trace, len(lasso.threads), len(lasso.unrolled(1).threads)
    spinners = []
    for thread in sorted(set(lasso.round)):
        cycle = tuple(step for step in trace.steps[start:end] if step.thread == thread)
        spinners.append(Spinner(thread, _sites(cycle), cycle, _waits(trace, thread, cycle)))
    blocked = tuple(thread for thread in _unfinished(trace) if thread not in lasso.round)
    return Livelock(tuple(spinners), blocked, start, _nature(lasso, checked, leaving), checked.counters)


def _nature(lasso: Schedule, checked: CheckedLasso, leaving: Leaving) -> Nature:
    if checked.proof is not Proof.PROVED:
        return Nature.COUNTS if checked.proof is Proof.COUNTS else Nature.NOT_COMPARED
    if len(set(lasso.round)) == 1:
        return Nature.WAITS  # nobody else can run anywhere in it
    return {Leaving.NOBODY: Nature.NEVER_ENDS, Leaving.OTHERS: Nature.OTHERS_LEAVE, Leaving.UNKNOWN: Nature.MAY_GO_ON}[leaving]


def find_starvation(trace: Trace, fair: int | None) -> Starvation | None:
    """Who kept the processor through the last half although others were enabled all the time?"""
    if trace.end.outcome is not Outcome.STEP_LIMIT or not trace.steps:
        return None
    late = trace.steps[len(trace.steps) // 2 :]
    thread = late[0].thread
    waiting = ~(1 << thread)
    for step in late:
        if step.thread != thread:
            return None
        waiting &= step.enabled
    if not waiting:
        return None
    yields = any(step.yields for step in late)
    hint = "bound fair:2" if fair is None and yields else "a yield in the loop"
    return Starvation(thread, tuple(threads_in(waiting)), _sites(late), yields, hint)


def _asks(steps: list[Step]) -> bool:
    """Does the thread touch anything that another thread could change?"""
    return any(step.footprint for step in steps)


def _nothing_new(early: list[Step], late: list[Step]) -> bool:
    met = {(step.operation.kind, step.operation.site, step.value, step.failed, step.timed_out) for step in early}
    return all((step.operation.kind, step.operation.site, step.value, step.failed, step.timed_out) in met for step in late)


def _sites(steps: list[Step] | tuple[Step, ...]) -> tuple[int, ...]:
    return tuple(dict.fromkeys(step.operation.site for step in steps))


def _spinner(trace: Trace, thread: int, late: list[Step]) -> Spinner:
    end = max(position for position, step in enumerate(late) if step.yields)
    place = (late[end].operation.kind, late[end].operation.site)
    before = (position for position in range(end - 1, -1, -1) if (late[position].operation.kind, late[position].operation.site) == place)
    cycle = tuple(late[next(before, -1) + 1 : end + 1])
    return Spinner(thread, _sites(cycle), cycle, _waits(trace, thread, cycle))


def _waits(trace: Trace, thread: int, cycle: tuple[Step, ...]) -> tuple[VainWait, ...]:
    """The objects it only looks at (or fails to take) in one round; if there are none, all it touches."""
    asked = {access.object: step.value for step in cycle for access in step.footprint}
    own = {access.object for step in cycle for access in step.footprint if access.write and not step.failed}
    wanted = {identity: value for identity, value in asked.items() if identity not in own} or asked
    return tuple(VainWait(identity, value, *_last_write(trace, thread, identity)) for identity, value in wanted.items())


def _last_write(trace: Trace, reader: int, identity: int) -> tuple[int | None, int | None]:
    looked = ObjectAccess(identity, False)
    for index in range(len(trace.steps) - 1, -1, -1):
        step = trace.steps[index]
        if step.thread != reader and any(access.write and access.overlaps(looked) for access in step.footprint):
            return step.thread, index
    return None, None


def _unfinished(trace: Trace) -> list[int]:
    live = {thread for thread, _ in trace.initial}
    for step in trace.steps:
        live.discard(step.thread)
        live.update(thread for thread, _ in step.announced)
        live.difference_update(step.finished)
    return sorted(live)
