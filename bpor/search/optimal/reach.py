"""Decides from one execution whether a thread could have performed an operation in a state that the execution did not pass through.

The state is known by the steps in it that the operation depends on: whether an operation can run is a function of those alone.
Invariant: True and False are certain; None means that only an execution can tell.
"""

from __future__ import annotations

from collections.abc import Iterable

from bpor.model.operation import Operation
from bpor.model.step import Step
from bpor.protocol.ops import Op

_TRIES = frozenset({Op.MUTEX_TRYLOCK, Op.MUTEX_TIMEDLOCK})
_RELEASES = frozenset({Op.MUTEX_UNLOCK, Op.COND_WAIT, Op.MUTEX_INIT, Op.MUTEX_DESTROY})
# Nobody who waits could go on because one of these was not made.
GIVES_BACK = frozenset({Op.MUTEX_UNLOCK, Op.RWLOCK_UNLOCK, Op.SPIN_UNLOCK, Op.FILE_UNLOCK, Op.SEM_POST})
# Operations that do, whatever they find, what they announce; any other that writes may turn out to have read only.
_CERTAIN = frozenset({
    Op.READ, Op.WRITE, Op.RMW, Op.FENCE, Op.FREE, Op.UNMAP, Op.SPAWN, Op.YIELD, Op.SLEEP, Op.PROCESS_END,
    Op.MUTEX_LOCK, Op.MUTEX_UNLOCK, Op.COND_WAIT, Op.COND_WAKE, Op.COND_SIGNAL, Op.COND_BROADCAST, Op.SEM_WAIT, Op.SEM_POST,
    Op.RWLOCK_RDLOCK, Op.RWLOCK_WRLOCK, Op.RWLOCK_UNLOCK, Op.BARRIER_ARRIVE, Op.BARRIER_LEAVE, Op.SPIN_LOCK, Op.SPIN_UNLOCK,
})  # fmt: skip


def may_touch_less(operation: Operation) -> bool:
    return operation.kind not in _CERTAIN and any(access.write for access in operation.footprint)


def is_asked_about(operation: Operation) -> bool:
    """May there be a state of which only an execution can tell what this operation does there?"""
    return may_touch_less(operation) or (operation.kind.blocks and operation.kind not in (Op.MUTEX_LOCK, Op.JOIN))


def enabled_at(state: Step, thread: int, operation: Operation) -> bool | None:
    """Was a thread with this pending operation enabled in the state in which a step was made?"""
    if not operation.kind.blocks:
        return True
    # A thread that is enabled by its timeout alone is so only because nobody else is.
    return None if state.timed else bool(state.enabled >> thread & 1)


def could_run(operation: Operation, past: Iterable[Step]) -> bool | None:
    """Can it run where just these of the steps it depends on were made? They come latest first."""
    if not operation.kind.blocks:
        return True
    if operation.kind is not Op.MUTEX_LOCK:
        return None
    taker = next((step for step in past if not (step.failed and step.operation.kind in _TRIES)), None)
    return taker is None or taker.operation.kind in _RELEASES
