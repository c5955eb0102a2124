"""Races left out that are not redundant."""

from __future__ import annotations

from bpor.model.operation import Operation
from tests.property.reference import Reference


class CoveredTestedOnTheAcquire(Reference):
    """E6: transitive reduction and release optimisation together, the former tested where the latter has jumped to."""

    def covered(self, index: int, others: set[int]) -> bool:
        if self.racing is not None:
            jumped = self.release_point(index, self.racing)
            if jumped != index:
                return super().covered(jumped, (others | {index}) - {jumped})  # the acquire happens before its release: always
        return super().covered(index, others)

    racing: Operation | None = None

    def detect_for(self, thread: int, operation: Operation, before: int | None = None) -> None:
        self.racing = operation
        super().detect_for(thread, operation, before)
        self.racing = None


class InitialsOfPendingOperations(Reference):
    """E12: source sets instead of `asleep: all`, their initials computed when the second operation of a race is still pending."""

    def backtrack(self, index: int, thread: int) -> None:
        initials = self.initials(index, thread)
        backtrack = self.frames[index].backtrack
        if not backtrack & initials:
            backtrack.add(thread if thread in initials else min(initials))  # asleep: covered elsewhere, say source sets

    def initials(self, index: int, thread: int) -> set[int]:
        """Threads that may come first in what follows `index` without depending on it, the racing operation last."""
        first = self.events[index]
        tail = [event for event in self.events[index + 1 :] if event.clock.get(first.thread, 0) < first.local]
        found: set[int] = set()
        for position, event in enumerate(tail):
            if not any(event.clock.get(other.thread, 0) >= other.local for other in tail[:position]):
                found.add(event.thread)
        operation = self.frames[-1].pending.get(thread)
        alone = all(event.thread != thread for event in tail)
        if operation is not None and alone and not any(self.races(event, operation) for event in tail):
            found.add(thread)
        return found
