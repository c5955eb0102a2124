"""Fairness and timeouts, wrongly."""

from __future__ import annotations

from bpor.model.policy import threads_in
from tests.property.reference import Frame, Reference


class FairnessReversed(Reference):
    """E11: the dissertation's definition, Y(u) - Y(t): it never stops the spinner, it stops the thread that would help."""

    def fair_cost(self, frame: Frame, thread: int, enabled: int) -> int:
        return max(frame.yields[other] - frame.yields[thread] for other in threads_in(enabled))


class OneTimeoutIsEnough(Reference):
    """E22: in an idle state one timed waiter is tried and no other."""

    def timeouts_to_try(self, frame: Frame) -> set[int]:
        return set()


class IdleSwitchesCost(Reference):
    """E22: a switch at an idle state costs a preemption, and blocks run on there."""

    def leaving_is_free(self, frame: Frame) -> bool:
        return frame.last is None or not frame.enabled >> frame.last & 1 or frame.last_cut

    def starts_block(self, depth: int, frame: Frame, thread: int) -> bool:
        return depth == 0 or frame.last != thread or frame.last_cut


class TimeoutsDependOnWhatTheyWaitedFor(Reference):
    """E48: a timeout at a state that is idle only because of the fair bound is a step like any other."""

    def idle_by_yields(self, frame: Frame, thread: int) -> bool:
        return False
