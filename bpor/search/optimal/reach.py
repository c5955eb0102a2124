"""Could a thread have done an operation in a state that the execution did not go through? What the execution itself tells of that.

The state is known by the steps in it that the operation depends on: whether an operation can run is a function of those alone.
Invariant: True and False are certain; None means that only an execution can tell.
"""

from __future__ import annotations

from collections.abc import Sequence

from bpor.model.operation import Operation
from bpor.model.step import Step
from bpor.protocol.ops import Op

_TRIES = frozenset({Op.MUTEX_TRYLOCK, Op.MUTEX_TIMEDLOCK})
_RELEASES = frozenset({Op.MUTEX_UNLOCK, Op.COND_WAIT, Op.MUTEX_INIT, Op.MUTEX_DESTROY})


def could_run(
    steps: Sequence[Step], thread: int, operation: Operation, pending_from: int, pending_until: int, dependents: list[int], kept: list[int]
) -> bool | None:
    """Is `thread` enabled where of the steps its operation depends on (`dependents`, of all threads, in order) only `kept` were made?

    The operation is pending from one state of the execution to another.
    """
    if not operation.kind.blocks:
        return True
    made = _made_when(dependents, kept)
    if made is not None:
        for state in range(max(pending_from, made[0]), min(pending_until, made[1]) + 1):
            if state < len(steps):
                # A thread that is enabled by its timeout alone is so only because nobody else is.
                return None if steps[state].timed else bool(steps[state].enabled >> thread & 1)
    if operation.kind is Op.MUTEX_LOCK:
        takers = [steps[index] for index in kept if not (steps[index].failed and steps[index].operation.kind in _TRIES)]
        return not takers or takers[-1].operation.kind in _RELEASES
    return None


def _made_when(dependents: list[int], kept: list[int]) -> tuple[int, int] | None:
    """The states (first, last) of the execution in which exactly the kept ones of the dependent steps were made."""
    if dependents[: len(kept)] != kept:
        return None
    first = kept[-1] + 1 if kept else 0
    last = dependents[len(kept)] if len(kept) < len(dependents) else 1 << 62
    return first, last
