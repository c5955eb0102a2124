"""Dependence relations that forget something. An oracle that shares the relation cannot see them; values can."""

from __future__ import annotations

from bpor.model.operation import Footprint, ObjectAccess, Operation, conflict
from bpor.protocol.ops import Op
from bpor.simulate.rwlock import holders
from tests.property.reference import Event, Reference


class ProcessEndWithoutFootprint(Reference):
    """E21: the end of the process depends on nothing."""

    def dependent(self, first: Event, second: Event) -> bool:
        return first.thread != second.thread and conflict(first.footprint, second.footprint)

    def races(self, event: Event, operation: Operation) -> bool:
        return conflict(event.footprint, operation.footprint)


class FailedAssertionIsAnOrdinaryStep(Reference):
    """E21: a step whose segment ends the process keeps the footprint it announced."""

    def dependent(self, first: Event, second: Event) -> bool:
        return first.thread != second.thread and (first.kind.ends or second.kind.ends or conflict(first.footprint, second.footprint))

    def races(self, event: Event, operation: Operation) -> bool:
        return event.kind.ends or operation.kind.ends or conflict(event.footprint, operation.footprint)

    def detect_end(self, event: Event) -> None:
        pass


class EndsOfThreadsCommute(Reference):
    """E21: where main has left, it does not matter in which order the others end."""

    def executed(self, operation: Operation, footprint: Footprint) -> Footprint:
        return () if operation.kind is Op.THREAD_END else footprint

    def races(self, event: Event, operation: Operation) -> bool:
        return operation.kind is not Op.THREAD_END and super().races(event, operation)


class FailedTrywrlockReads(Reference):
    """E23: a failed trywrlock is a read, as a failed trylock is."""

    def executed(self, operation: Operation, footprint: Footprint) -> Footprint:
        if operation.kind is not Op.RWLOCK_TRYWRLOCK:
            return footprint
        failed = holders(self.frames[-1].world, footprint[0].object) != (None, ())
        return tuple(ObjectAccess(access.object, False, access.size) for access in footprint) if failed else footprint
