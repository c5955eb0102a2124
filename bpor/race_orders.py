"""The two orders of a race: one schedule in which the earlier access comes first, one in which the later one does.

Both are schedules of the program with the racing place visible (--races=explore), because only there an access is a step. They are built by
holding one thread at its access until the other has done its own; nothing is searched, so an order may not be found.
"""

from __future__ import annotations

from collections import Counter

from bpor.confirmation import Subject
from bpor.model.operation import Footprint, ObjectAccess
from bpor.model.plan import Plan, State
from bpor.model.policy import threads_in
from bpor.model.schedule import Schedule
from bpor.model.step import Step
from bpor.model.trace import End
from bpor.report.next_command import replay_command
from bpor.settings import Settings


def orders_of(target: Subject, end: End, settings: Settings) -> tuple[str, ...]:
    """Replay commands, the order that was seen first. `target` and `settings` have the place visible."""
    if end.thread is None or end.other_thread is None:
        return ()
    place = ObjectAccess(end.object, True, end.object_bytes)
    found = []
    with target.open() as executor:
        for first, second in ((end.other_thread, end.thread), (end.thread, end.other_thread)):
            hold = _Hold(first, second, place)
            trace = executor.run(Plan(chooser=hold, max_steps=settings.max_steps))
            if hold.done:
                found.append(replay_command(Schedule.of(step.choice for step in trace.steps), target.argv, settings))
    return tuple(found)


_PATIENCE = 4  # yields of every free thread with nothing written: they wait for the one that is held


class _Hold:
    """A chooser: `second` waits before its access of the place until `first` has had its own. Who yields lets the others go first."""

    def __init__(self, first: int, second: int, place: ObjectAccess) -> None:
        self._first, self._second, self._place = first, second, place
        self._yields: Counter[int] = Counter()  # since something was written
        self.done = False

    def __call__(self, state: State) -> int | None:
        if state.step is not None:
            self._took(state.step)
        free = [thread for thread in threads_in(state.enabled) if not self._held(thread, state)]
        if not free:
            return None
        wanted = self._second if self.done else self._first
        chosen = min(free, key=lambda thread: (self._yields[thread], thread != wanted, thread != state.last, thread))
        return chosen if self._yields[chosen] < _PATIENCE else None

    def _took(self, step: Step) -> None:
        if step.thread == self._first and self._touches(step.footprint):
            self.done = True
        if any(access.write for access in step.footprint):
            self._yields.clear()
        if step.yields:
            self._yields[step.thread] += 1

    def _held(self, thread: int, state: State) -> bool:
        return not self.done and thread == self._second and self._touches(state.pending[thread].footprint)

    def _touches(self, footprint: Footprint) -> bool:
        return any(access.overlaps(self._place) for access in footprint)
