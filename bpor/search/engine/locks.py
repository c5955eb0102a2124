"""Locks: for every unlocking step on the stack, the step that had taken the lock. For the release optimisation of unbounded search:
a thread that waits for a mutex could not have run between the two, so its race with the unlock is a race with the acquisition.

Only mutexes, and only operations that cannot run while somebody holds them: a trylock or a timedlock can (it fails).
"""

from __future__ import annotations

from bpor.model.step import Step
from bpor.protocol.ops import Op

_TAKES = frozenset({Op.MUTEX_LOCK, Op.MUTEX_TRYLOCK, Op.MUTEX_TIMEDLOCK})
_RELEASES = frozenset({Op.MUTEX_UNLOCK, Op.COND_WAIT})
WAITS = frozenset({Op.MUTEX_LOCK, Op.COND_WAKE})


class Locks:
    def __init__(self) -> None:
        self.acquisition: dict[int, int] = {}  # index of an unlocking step -> index of the step that took the lock
        self._held: dict[tuple[int, int], int] = {}  # (thread, object) -> index of the step that took it
        self._undo: list[tuple[int, tuple[int, int], int | None]] = []  # (index of the step, what it changed in `_held`, to what it was)

    def push(self, index: int, step: Step) -> None:
        kind, thread, held = step.operation.kind, step.thread, self._held
        if kind is Op.COND_WAKE or (kind in _TAKES and not step.failed and not step.timed_out):
            # A wake-up touches the condition too; that entry is harmless because the mutex's is never older.
            for access in step.footprint:
                key = (thread, access.object)
                self._undo.append((index, key, held.get(key)))
                held[key] = index
        elif kind in _RELEASES:
            for access in step.footprint:
                key = (thread, access.object)
                taken = held.pop(key, None)
                if taken is not None:
                    self._undo.append((index, key, taken))
                    self.acquisition[index] = max(taken, self.acquisition.get(index, taken))

    def pop_to(self, length: int) -> None:
        """So many steps are left."""
        acquisition, undo, held = self.acquisition, self._undo, self._held
        while undo and undo[-1][0] >= length:
            index, key, old = undo.pop()
            acquisition.pop(index, None)
            if old is None:
                held.pop(key, None)
            else:
                held[key] = old
