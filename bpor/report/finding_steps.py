"""The steps of a trace as a reader sees them, and every thread in the last state.

Invariant: the n-th step of a thread performs its n-th operation (counted from 0), so stacks announced with pending operations
belong to the steps that performed them; the last announced one is what an unfinished thread is stopped before.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from bpor.model.fault import CALLS
from bpor.model.operation import VOLATILE, Operation
from bpor.model.step import Step
from bpor.model.trace import Description, Trace
from bpor.protocol.ops import Op
from bpor.report.finding import Held, ObjectName, SourceSite, SourceStep, ThreadAtEnd
from bpor.report.names import Names

_WITH_VALUE = frozenset({Op.READ, Op.WRITE, Op.RMW, Op.CAS, Op.SEM_GETVALUE})
_CHOOSES_ON = 1 << 30  # BPOR_CHOOSES_ON: another digit follows
_SMALL = 1 << 15
_WORD = 8
_QUEUE = 2  # class of an object's identity (csrc/protocol/protocol.h)
_RETURN = SourceSite(function="return from main")  # the process ended and no call of the program's did it
_ENDS_OWNERSHIP = frozenset(
    {Op.MUTEX_UNLOCK, Op.RWLOCK_UNLOCK, Op.COND_WAIT, Op.SPIN_UNLOCK, Op.ONCE_END, Op.GUARD_RELEASE, Op.MUTEX_ABANDON}
)
_ONCE = frozenset({Op.ONCE_BEGIN, Op.GUARD_ACQUIRE})


def source_steps(trace: Trace, names: Names, described: bool) -> tuple[SourceStep, ...]:
    names.learn(trace)
    done: Counter[int] = Counter()
    known = {thread for thread, _ in trace.initial}
    result: list[SourceStep] = []
    previous: Step | None = None
    for index, step in enumerate(trace.steps, trace.first):
        born = [thread for thread in (*(t for t, _ in step.announced), *step.finished) if thread != step.thread and thread not in known]
        known.update(born)
        operation = step.operation
        result.append(
            SourceStep(
                index=index,
                thread=step.thread,
                op=operation.kind,
                objects=_objects(operation, names),
                value=_value(step),
                site=names.site(step.thread, done[step.thread], operation) or (_RETURN if operation.kind.ends and described else None),
                target=born[0] if operation.kind is Op.SPAWN and born else operation.target,
                preempted=previous.thread if previous is not None and _preempts(previous, step) else None,
                failed=step.failed,
                timed_out=step.timed_out,
                yields=step.yields,
                inferred=step.inferred,
                alternative=step.alternative,
                alternatives=step.alternatives,
                **_fault(step),
            )
        )
        done[step.thread] += 1
        previous = step
    return tuple(result)


def _fault(step: Step) -> dict[str, str]:
    if step.operation.kind is not Op.FAULT:
        return {}
    call, effect = CALLS[step.value]
    return {"call": call, "effect": effect if step.alternative else ""}


def _value(step: Step) -> int | None:
    """What was read, written or chosen. The wire knows no signs: what is just below the top of its size was a small negative number."""
    operation = step.operation
    if operation.kind is Op.CHOOSE:
        return None if step.value & _CHOOSES_ON else step.value
    if operation.kind not in _WITH_VALUE or (operation.kind is Op.WRITE and operation.order == VOLATILE):
        return None
    if step.footprint and step.footprint[0].size > _WORD:
        return None  # the wire has room for eight bytes
    top = 1 << 8 * (step.footprint[0].size if step.footprint else 8)
    return step.value - top if top - _SMALL <= step.value < top and top > _SMALL * 2 else step.value


def _preempts(previous: Step, step: Step) -> bool:
    """The processor is taken from a thread that wanted to go on: a switch after a yield, and one at an idle state, is free."""
    if previous.thread == step.thread or previous.yields or previous.cuts or step.timed:
        return False
    return bool(step.enabled >> previous.thread & 1)


def thread_ends(trace: Trace, description: Description, names: Names, steps: tuple[SourceStep, ...]) -> tuple[ThreadAtEnd, ...]:
    """Every thread that existed, by number. What each holds comes from the runtime where it was asked, from the steps otherwise."""
    pending = trace.pending()
    done = Counter(step.thread for step in trace.steps)
    taken = _taken(trace, steps)
    held = list(dict.fromkeys(description.held if description.modules else taken))
    result = []
    for thread in _existed(trace, description):
        operation = pending.get(thread)
        mine = tuple(
            Held(names.object(identity, step.op) if step is not None else names.object(identity, Op.MUTEX_LOCK), step)
            for owner, identity in held
            if owner == thread
            for step in (taken.get((owner, identity)),)
        )
        end = ThreadAtEnd(thread, names.thread(thread), held=mine)
        if operation is not None:
            end = ThreadAtEnd(
                number=thread,
                name=names.thread(thread),
                pending=operation.kind,
                blocked=not trace.enabled >> thread & 1,
                objects=_objects(operation, names),
                waits_for=_waits_for(thread, operation, held, trace.steps),
                stack=names.stack(description.stacks.get((thread, done[thread]), ())),
                site=names.site(thread, done[thread], operation),
                held=mine,
            )
        result.append(end)
    return tuple(result)


def _existed(trace: Trace, description: Description) -> list[int]:
    """One that failed before its first operation was announced counts, too."""
    seen = {thread for thread, _ in trace.initial} | {trace.end.thread} | set(description.threads)
    for step in trace.steps:
        seen.update((step.thread, *(thread for thread, _ in step.announced), *step.finished))
    return sorted(thread for thread in seen if thread is not None)


def _taken(trace: Trace, steps: tuple[SourceStep, ...]) -> dict[tuple[int, int], SourceStep]:
    """(thread, lock) -> the step that took it, for locks not given back."""
    taken: dict[tuple[int, int], SourceStep] = {}
    for step, seen in zip(trace.steps, steps, strict=True):
        acquired, released = lock_changes(step)
        for identity in released:
            taken.pop((step.thread, identity), None)
        taken.update(((step.thread, identity), seen) for identity in acquired)
    return taken


def lock_changes(step: Step) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The locks that a step took, and those that it gave back."""
    kind, locks = step.operation.kind, tuple(_owned(step.operation))
    if kind in _ENDS_OWNERSHIP:
        return (), locks
    if kind in _ONCE and not any(access.write for access in step.footprint):
        return (), ()  # it was done already: nobody is inside
    return (locks if kind.acquires and (not step.failed or kind is Op.COND_WAKE) else ()), ()


def _owned(operation: Operation) -> Iterator[int]:
    """The lock of an operation: a condition's mutex is its second object. An inner lock of a recursive mutex has none."""
    position = 1 if operation.kind in (Op.COND_WAIT, Op.COND_WAKE) else 0
    if len(operation.footprint) > position:
        yield operation.footprint[position].object


def _waits_for(thread: int, operation: Operation, held: list[tuple[int, int]], steps: tuple[Step, ...]) -> tuple[int, ...]:
    """Who holds what the thread waits for. A waiter on a condition waits for a signal first; once signalled, for its mutex."""
    if operation.kind is Op.JOIN and operation.target is not None:
        return (operation.target,)
    if not operation.kind.acquires or (operation.kind is Op.COND_WAKE and not _signalled(thread, operation, steps)):
        return ()
    return tuple(owner for lock in _owned(operation) for owner, identity in held if identity == lock)


def _signalled(thread: int, wake: Operation, steps: tuple[Step, ...]) -> bool:
    """Was there a signal since the thread's wait that no other waiter has taken?"""
    tokens = 0
    for step in reversed(steps):
        if step.thread == thread:
            break  # its last step is the wait
        if step.footprint[:1] == wake.footprint[:1]:
            if step.operation.kind is Op.COND_BROADCAST:
                return True
            tokens += (step.operation.kind is Op.COND_SIGNAL) - (step.operation.kind is Op.COND_WAKE and not step.timed_out)
    return tokens > 0


def _objects(operation: Operation, names: Names) -> tuple[ObjectName, ...]:
    """The waiters of a barrier or of a futex word are called what they wait for."""
    result: list[ObjectName] = []
    for position, access in enumerate(operation.footprint):
        waiters = bool(result) and access.object >> 60 == _QUEUE
        result.append(result[0] if waiters else names.object(access.object, operation.kind, position))
    return tuple(result)
