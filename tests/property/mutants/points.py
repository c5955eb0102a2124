"""Backtrack points in the wrong places."""

from __future__ import annotations

from bpor.model.policy import threads_in
from tests.property.reference import Event, Frame, Reference


class NoPointAtTheInitialState(Reference):
    """E1: the published block start, read literally, is never the first state."""

    def add(self, index: int, thread: int, conservative: bool) -> None:
        if not (conservative and index == 0):
            super().add(index, thread, conservative)


class SleepingPointIsSkipped(Reference):
    """E5: a backtrack point for a sleeping thread adds nobody else."""

    def added(self, frame: Frame, thread: int) -> set[int]:
        if frame.enabled >> thread & 1:
            return {thread}
        return set(threads_in(frame.enabled))


class FairBlockedIsAddedAlone(Reference):
    """E8: a fair-blocked thread is added, then dropped by the bound test."""

    def fair_blocked(self, frame: Frame, thread: int) -> bool:
        return False


class EndsEnableSilently(Reference):
    """E28: under a fair bound no point where an end that a join waits for enables a thread that has yielded less."""

    def detect_enabling(self, depth: int, event: Event, frame: Frame) -> None:
        pass


class EndsEnableAtTheirOwnStateOnly(Reference):
    """E28: what an enabling end asks for is not asked for at the start of its block, where the switch may be free."""

    def add_all_at_block(self, index: int) -> None:
        return
