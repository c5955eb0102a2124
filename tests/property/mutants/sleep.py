"""Sleep sets that let somebody sleep too long."""

from __future__ import annotations

from bpor.model.operation import Footprint, conflict
from tests.property.reference import Event, Frame, Reference, Watch


class _PlainWatch(Reference):
    """A sleeper watches its next operation, and only executed steps wake it: sleep sets as they are without bounds."""

    def wakes(self, watch: Footprint, event: Event) -> bool:
        return event.ends or conflict(watch, event.footprint)

    def watch(self, index: int, frame: Frame, thread: int) -> Watch:
        event = self.events[index]
        return None if event.ends else event.footprint


class ConservativePointsStayAwake(_PlainWatch):
    """E3: the paper's wording, conservatively added transitions are not put to sleep."""

    def watch(self, index: int, frame: Frame, thread: int) -> Watch:
        return None if thread in frame.conservative else super().watch(index, frame, thread)


class NobodySleepsBelowConservativePoints(ConservativePointsStayAwake):
    """E4: the dissertation's wording, siblings are awake while a conservative point is explored."""

    def child_sleep(self, frame: Frame, thread: int, event: Event) -> dict[int, Footprint]:
        return {} if thread in frame.conservative else super().child_sleep(frame, thread, event)


class NextOperationWatched(Reference):
    """E4: our rule without its first half, the watch over the whole block."""

    def watch(self, index: int, frame: Frame, thread: int) -> Watch:
        event = self.events[index]
        return None if event.ends or (self.fair is not None and event.kind.releases) else event.footprint


class ReleasesSleep(Reference):
    """E10: under a fair bound a release is put to sleep."""

    def watch(self, index: int, frame: Frame, thread: int) -> Watch:
        event = self.events[index]
        return None if event.ends or frame.timed >> thread & 1 else event.footprint


class OnlyEnablingReleasesStayAwake(Reference):
    """E10: a release is kept awake only if it enabled somebody at that moment."""

    def watch(self, index: int, frame: Frame, thread: int) -> Watch:
        event = self.events[index]
        enabled = self.frames[index + 1].enabled & ~frame.enabled & ~(1 << thread)
        return None if event.ends or frame.timed >> thread & 1 or (event.kind.releases and enabled) else event.footprint


class LastThreadLast(Reference):
    """E26: another order than depth-first's, without the guard it needs."""

    def first(self, threads: list[int], frame: Frame) -> int:
        return min(threads, key=lambda thread: (thread == frame.last, thread))

    def initialize(self, frame: Frame) -> None:
        super().initialize(frame)
        if frame.last in frame.backtrack:  # try somebody else first, wherever that is allowed
            for thread in range(len(frame.world.nodes)):
                asleep = thread in frame.sleep_in
                if frame.enabled >> thread & 1 and thread != frame.last and not asleep and self.within(frame, thread):
                    frame.backtrack.add(thread)
                    break


class EndsSleep(Reference):
    """E28: under a fair bound a thread's last step is put to sleep, although its end may enable a joiner."""

    def watch(self, index: int, frame: Frame, thread: int) -> Watch:
        event = self.events[index]
        return None if event.ends or frame.timed >> thread & 1 or event.kind.releases else event.footprint


class SleepsBesideTimedWaits(Reference):
    """E48: threads sleep while somebody waits who may time out."""

    def beside_timed(self, frame: Frame) -> bool:
        return False
