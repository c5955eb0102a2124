"""Span: all that one timeout brought about before the next idle state, in every execution that was run.

While other timeouts are tried first, it sleeps: one that does not wake it comes before it just as well as after it. Two timeouts commute
with all that they bring about if neither touches what the other does, and neither lets go on what the other left waiting: that would then
come amidst what the later one brings about, or before the idle state that a third one waits for.
"""

from __future__ import annotations

from bpor.model.operation import Footprint, ObjectAccess, Operation, conflict
from bpor.model.step import Step
from bpor.protocol.ops import Op

_WRITE_IN_VAIN = frozenset({Op.RWLOCK_WRLOCK, Op.RWLOCK_TRYWRLOCK, Op.RWLOCK_TIMEDWRLOCK})  # erratum E23


class Span:
    __slots__ = ("_amid", "_joins", "_left", "_touched", "ends")

    def __init__(self) -> None:
        self._touched: set[ObjectAccess] = set()
        self._amid: set[ObjectAccess] = set()  # by steps that may have let somebody go on
        self._left: set[ObjectAccess] = set()  # by operations that it left waiting
        self._joins = False  # one of those waits for the end of a thread
        self.ends = False  # the process, or nobody knows because an execution was cut: every step wakes it

    def add(self, step: Step, ends: bool) -> None:
        self._touched.update(step.footprint)
        if not is_in_vain(step):
            self._amid.update(step.footprint)
        self.ends |= ends

    def leave(self, operation: Operation) -> None:
        """A thread that has run waits where the next idle state, or the end, is reached."""
        self._left.update(operation.footprint)
        self._joins |= operation.kind is Op.JOIN

    @property
    def footprint(self) -> Footprint:
        return tuple(self._touched)

    def is_woken_by(self, step: Step) -> bool:
        """By one that touches the same, that leaves something to do which might come in between, or that lets go on what was left."""
        if self.ends or conflict(self.footprint, step.footprint):
            return True
        pending = (operation for _, operation in step.announced)
        if any(each.kind.ends or each.kind is Op.JOIN or conflict(tuple(self._amid), each.footprint) for each in pending):
            return True
        return (self._joins and bool(step.finished)) or (not is_in_vain(step) and conflict(tuple(self._left), step.footprint))


def is_in_vain(step: Step) -> bool:
    """It leaves everything as it was, so nobody can go on because of it. A wait for a condition that ends by itself takes the mutex."""
    if not (step.failed or step.timed_out):
        return False
    return step.operation.kind in _WRITE_IN_VAIN or not any(access.write for access in step.footprint)
