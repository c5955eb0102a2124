"""Locks: for every unlocking step on the stack, the step that had taken the lock. For the release optimisation of unbounded search:
a thread that waits for a mutex could not have run between the two, so its race with the unlock is a race with the acquisition.

Only mutexes, and only operations that cannot run while somebody holds them: a trylock or a timedlock can (it fails).
"""

from __future__ import annotations

from bpor.model.operation import Operation
from bpor.model.step import Step
from bpor.protocol.ops import Op

_TAKES = frozenset({Op.MUTEX_LOCK, Op.MUTEX_TRYLOCK, Op.MUTEX_TIMEDLOCK})
_RELEASES = frozenset({Op.MUTEX_UNLOCK, Op.COND_WAIT})
_WAITS = frozenset({Op.MUTEX_LOCK, Op.COND_WAKE})
_CONDITIONS = frozenset({Op.COND_WAIT, Op.COND_WAKE})  # their mutex is their second object


def _mutex_of(operation: Operation) -> int | None:
    which = operation.kind in _CONDITIONS
    return operation.footprint[which].object if len(operation.footprint) > which else None


class Locks:
    def __init__(self) -> None:
        self._acquisition: dict[int, tuple[int, int]] = {}  # index of an unlocking step -> the lock, index of the step that took it
        self._held: dict[tuple[int, int], int] = {}  # (thread, object) -> index of the step that took it
        self._undo: list[tuple[int, tuple[int, int], int | None]] = []  # (index of the step, what it changed in `_held`, to what it was)

    def push(self, index: int, step: Step) -> None:
        kind, mutex, held = step.operation.kind, _mutex_of(step.operation), self._held
        if mutex is None:
            return
        key = (step.thread, mutex)
        if kind is Op.COND_WAKE or (kind in _TAKES and not step.failed and not step.timed_out):
            self._undo.append((index, key, held.get(key)))
            held[key] = index
        elif kind in _RELEASES:
            taken = held.pop(key, None)
            if taken is not None:
                self._undo.append((index, key, taken))
                self._acquisition[index] = mutex, taken

    def moved(self, index: int, operation: Operation) -> int:
        """Where an operation's race with a step lies. With one condition and two mutexes it may wait for another mutex than the step gives
        back, and could have run while that one was held (erratum E49)."""
        mutex, taken = self._acquisition.get(index, (None, index))
        return taken if operation.kind in _WAITS and mutex == _mutex_of(operation) else index

    def pop_to(self, length: int) -> None:
        """So many steps are left."""
        acquisition, undo, held = self._acquisition, self._undo, self._held
        while undo and undo[-1][0] >= length:
            index, key, old = undo.pop()
            acquisition.pop(index, None)
            if old is None:
                held.pop(key, None)
            else:
                held[key] = old
