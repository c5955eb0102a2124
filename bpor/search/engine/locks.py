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
        self._undo: list[tuple[int, tuple[tuple[tuple[int, int], int | None], ...]]] = []

    def push(self, index: int, step: Step) -> None:
        kind = step.operation.kind
        if kind is Op.COND_WAKE or (kind in _TAKES and not step.failed and not step.timed_out):
            # A wake-up touches the condition too; that entry is harmless because the mutex's is never older.
            self._set(index, [(step.thread, access.object) for access in step.footprint], index)
        elif kind in _RELEASES:
            held = [key for access in step.footprint if (key := (step.thread, access.object)) in self._held]
            if held:
                self.acquisition[index] = max(self._held[key] for key in held)
                self._set(index, held, None)

    def pop(self, index: int) -> None:
        self.acquisition.pop(index, None)
        while self._undo and self._undo[-1][0] >= index:
            for key, old in self._undo.pop()[1]:
                if old is None:
                    self._held.pop(key, None)
                else:
                    self._held[key] = old

    def _set(self, index: int, keys: list[tuple[int, int]], value: int | None) -> None:
        self._undo.append((index, tuple((key, self._held.get(key)) for key in keys)))
        for key in keys:
            if value is None:
                del self._held[key]
            else:
                self._held[key] = value
