"""Able: who can go on in a state that no execution has been to, as far as executions have shown it.

Whether an operation can run is settled by what it waits for: a mutex by the last event that changed it, a join by whether the thread has
ended, anything else by the past of its thread and the last events at its objects. Invariant: an answer is one that an execution gave where
all of that was the same; events are exact, so there are no collisions.
"""

from __future__ import annotations

from bpor.model.operation import Operation
from bpor.protocol.ops import Op
from bpor.search.graphs.line import Line

_Key = tuple[object, ...]


class Able:
    def __init__(self, line: Line) -> None:
        self._line = line
        self._answers: dict[_Key, bool] = {}

    def saved(self) -> dict[_Key, bool]:
        """For a later process (search/snapshot.py)."""
        return self._answers

    def load(self, saved: dict[_Key, bool]) -> None:
        self._answers = saved

    def learn(self, enabled: int, timed: int) -> None:
        """In the state that the line leads to, these threads can run; those in `timed` only because their time is up."""
        for thread, operation in self._pending():
            if operation.kind.blocks and operation.kind is not Op.JOIN:
                self._answers[self._key(thread, operation)] = bool((enabled & ~timed) >> thread & 1)

    def mask(self) -> int | None:
        """None: only an execution can tell. What may time out does so where nobody else can run: that is never foreseen."""
        mask = 0
        for thread, operation in self._pending():
            able = None if operation.timed else self._is_able(thread, operation)
            if able is None:
                return None
            mask |= able << thread
        return mask

    def _pending(self) -> list[tuple[int, Operation]]:
        threads = self._line.history.threads.items()
        return [(thread, state.operation) for thread, state in threads if state.operation is not None]

    def _is_able(self, thread: int, operation: Operation) -> bool | None:
        if not operation.kind.blocks:
            return True
        if operation.kind is Op.JOIN:
            target = None if operation.target is None else self._line.history.threads.get(operation.target)
            return None if target is None else target.operation is None
        return self._answers.get(self._key(thread, operation))

    def _key(self, thread: int, operation: Operation) -> _Key:
        history, events = self._line.history, self._line.events
        seen: list[object] = []
        for cell, _ in history.cells.resolve(operation.footprint).pairs:
            for near in cell.near:
                writer = near.last_write
                event = events[writer] if writer >= 0 else -1
                if operation.kind is Op.MUTEX_LOCK:
                    seen.append((near.access.object, event, writer >= 0 and history.schedule[writer] == thread))
                else:
                    readers = frozenset(events[index] for index in near.readers.values() if index > writer)
                    seen.append((near.access.object, event, readers))
        if operation.kind is Op.MUTEX_LOCK:
            return (operation.kind.number, *seen)
        last = history.threads[thread].last
        return (operation.kind.number, thread, events[last] if last >= 0 else -1, *seen)
