"""The self-check: is this program under control at all? One schedule, and the one that reverses its first reversible pair.

A pair is reversible if the second step's thread stood ready, with that very step, in the state before the first. Invariant: no claim
without both orders seen: a program that gives nothing to reverse has not passed.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import NamedTuple, Protocol

from bpor.errors import Diverged
from bpor.lazy_dataclass import dataclass
from bpor.model.operation import dependent
from bpor.model.plan import Plan, State
from bpor.model.step import Step
from bpor.model.trace import Description, Outcome, Trace
from bpor.report.names import Names

_LOST = frozenset({Outcome.REFUSED, Outcome.WATCHDOG})


class Checkable(Protocol):
    def run(self, plan: Plan) -> Trace: ...

    def describe(self, plan: Plan) -> tuple[Trace, Description]: ...

    def executing(self) -> int: ...


class Pair(NamedTuple):
    """Two steps by their index in the schedule; `second` could have run in place of `first`."""

    first: int
    second: int


@dataclass(frozen=True, slots=True)
class SelfCheck:
    passed: bool | None  # None: nothing to reverse
    reason: str

    def __str__(self) -> str:
        word = {True: "under control", False: "not under control", None: "nothing to reverse"}[self.passed]
        return f"self-check: {word}: {self.reason}"


def reversible(steps: tuple[Step, ...]) -> Pair | None:
    """The first pair of dependent steps of two threads whose order was a choice."""
    for index, step in enumerate(steps):
        following: dict[int, int] = {}
        for later in range(index + 1, len(steps)):
            following.setdefault(steps[later].thread, later)
        for thread, later in sorted(following.items(), key=lambda item: item[1]):
            ready = thread != step.thread and step.enabled >> thread & 1 and not step.timed >> thread & 1
            if ready and _depend(step, steps[later]):
                return Pair(index, later)
    return None


def _depend(a: Step, b: Step) -> bool:
    return dependent(a.operation.kind, a.footprint, b.operation.kind, b.footprint)


def check_orders(executor: Checkable, max_steps: int) -> SelfCheck:
    """Both orders of the first reversible pair."""
    trace, description = executor.describe(Plan(max_steps=max_steps))
    if trace.end.outcome in _LOST:
        return SelfCheck(False, trace.end.message or f"the first execution ended by {trace.end.outcome.value}")
    pair = reversible(trace.steps)
    if pair is None:
        return SelfCheck(None, _why_none(trace))
    first, second = trace.steps[pair.first], trace.steps[pair.second]
    names = Names(description)
    what = f"{_told(names, first)} and {_told(names, second)}"
    prefix = [step.choice for step in trace.steps[: pair.first]] + [second.thread]
    try:
        other = executor.run(Plan(prefix=prefix, max_steps=max_steps))
    except Diverged as error:
        return SelfCheck(False, f"{what} cannot be reversed: {error}")
    if other.end.outcome in _LOST:
        return SelfCheck(False, f"with {what} reversed: {other.end.message or other.end.outcome.value}")
    if not _reversed(trace, other, pair):
        return SelfCheck(False, f"{what} ran in the same order although the other was asked for")
    if other.hash == trace.hash:
        return SelfCheck(False, f"{what} ran in both orders and the two executions have the same hash")
    return SelfCheck(True, f"{what} ran in both orders, and the executions differ")


def _why_none(trace: Trace) -> str:
    if trace.threads <= 1:
        return "only one thread ever ran"
    return f"of {trace.length} steps of {trace.threads} threads no two touch the same object in an order that was a choice"


def _reversed(before: Trace, after: Trace, pair: Pair) -> bool:
    """Is the second step now before the first one? Steps are named by thread and how many the thread had done."""
    first, second = before.steps[pair.first].thread, before.steps[pair.second].thread
    done = [sum(step.thread == thread for step in before.steps[: pair.first]) for thread in (first, second)]
    places = [[index for index, step in enumerate(after.steps) if step.thread == thread] for thread in (first, second)]
    came = [mine[count] if count < len(mine) else len(after.steps) for mine, count in zip(places, done, strict=True)]
    same = came[1] < len(after.steps) and after.steps[came[1]].operation.kind is before.steps[pair.second].operation.kind
    return same and came[1] < came[0]


def _told(names: Names, step: Step) -> str:
    site = next(iter(names.stack((step.operation.site,) if step.operation.site else ())), None)
    return f"T{step.thread}'s {step.operation.kind.text}" + (f" ({site})" if site is not None else "")


def check_tasks(executor: Checkable, max_steps: int, tasks: Callable[[int], int] | None = None) -> SelfCheck:
    """Is every kernel thread one that we know? Asked in every state of the default schedule. The target must run on kernel threads."""
    count = tasks or _tasks
    trace = executor.run(Plan(max_steps=max_steps))
    known = _known_before(trace)
    strangers: list[str] = []

    def choose(state: State) -> int | None:
        if state.index >= len(trace.steps):
            return None
        here, ours = count(executor.executing()), known[state.index]
        if here != ours and not strangers:
            strangers.append(f"{here} kernel threads run in it before step {state.index}, {ours} of them ours")
        return trace.steps[state.index].thread

    try:
        executor.run(Plan(max_steps=max_steps, chooser=choose))
    except Diverged:
        if not strangers:  # a thread that is not ours explains it
            raise
    if strangers:
        return SelfCheck(False, strangers[0])
    return SelfCheck(True, f"all {max(known, default=1)} threads are ours")


def check_patched(plain: Checkable, patched: Checkable, max_steps: int) -> SelfCheck:
    """Does the program do the same when its machine code is patched? By the default schedule of each."""
    ends = [executor.run(Plan(max_steps=max_steps)).end for executor in (plain, patched)]
    told = [(end.outcome, end.code, end.stdout, end.stderr) for end in ends]
    if told[0] == told[1]:
        return SelfCheck(True, "patched, it ends as it does unpatched and prints the same")
    other_end = f"ends by {ends[1].outcome.value}, unpatched by {ends[0].outcome.value}"
    what = "prints something else" if told[0][:2] == told[1][:2] else other_end
    return SelfCheck(False, f"patched, it {what}: --machine-code=off leaves its machine code alone")


def _known_before(trace: Trace) -> list[int]:
    """How many threads there are in each state: those that ended stay parked."""
    seen = {thread for thread, _ in trace.initial} | {0}
    counts = []
    for step in trace.steps:
        counts.append(len(seen))
        seen.update((step.thread, *(thread for thread, _ in step.announced), *step.finished))
    return counts


def _tasks(process: int) -> int:
    return len(os.listdir(f"/proc/{process}/task"))
