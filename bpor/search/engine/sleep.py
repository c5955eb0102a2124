"""Sleep: which threads need not be tried at a state, because what they would do was explored before and nothing since depends on it.

Our rule differs from both published ones, which are incomplete under a preemption bound (errata E3, E4): if running a sleeper starts a
block, it watches everything it would do until it stops, not only its next step; and it also wakes when the mover's *next* operation
conflicts, because the mover may then be blocked, and leaving it becomes free. Under a fair bound nobody sleeps while somebody waits who
may time out: any step may be the one that makes the state idle, after which others cannot go on (erratum E48).

A thread is *whole* if everything it leads to was explored, whatever it costs: the bound refused nothing below it, and nothing there was
left to a sleeper that is not whole itself. It sleeps as in unbounded search: watched for its next step alone, beside anybody.
"""

from __future__ import annotations

from bpor.model.operation import Footprint
from bpor.model.step import Step
from bpor.protocol.ops import Op
from bpor.search.engine.cells import Touches
from bpor.search.engine.frame import NO_SLEEPERS, Frame
from bpor.search.engine.history import History
from bpor.search.engine.rule import Rule
from bpor.search.engine.watch import Watch, union


class Sleep:
    def __init__(self, rule: Rule, history: History, any_order: bool) -> None:
        self._rule = rule
        self._history = history
        self._any_order = any_order
        self._block: Watch | None = None  # of the thread that is running on, until it stops

    def push(self, before: Frame, step: Step, frame: Frame) -> None:
        """`step`, which was just put on the history, led from `before` to `frame`."""
        touches, kind = self._history.touched, step.operation.kind
        ends = step.ends_process or kind.ends
        timed = not self._rule.sleeps_beside_timed and self._history.waits_timed() != 0
        # Under a fair bound an end is a release too: it may enable a joiner, and no access in its block shows it (erratum E28).
        over = bool(step.finished) and not self._rule.releases_sleep
        watch = touches.watch if not self._rule.watches_blocks else self._block_watch(before, frame, touches, ends or timed or over)
        # A timeout of an idle state and, under a fair bound, a release change who may run in ways no access shows (errata E22, E10).
        never = ends or over or before.timed >> step.thread & 1
        never = never or (kind.releases and not self._rule.releases_sleep)
        never = never or timed or (step.operation.timed and not self._rule.sleeps_beside_timed)
        before.watch = None if never else watch
        alone = ends or before.timed >> step.thread & 1 or timed or (step.operation.timed and not self._rule.sleeps_beside_timed)
        before.step_watch = None if alone else touches.watch
        if (before.watches is not None or before.sleep) and not timed:
            frame.sleep = self._still_asleep(before, step)
            if before.whole and frame.sleep:
                frame.whole = before.whole & sum(1 << sleeper for sleeper in frame.sleep)

    def _block_watch(self, before: Frame, frame: Frame, touches: Touches, dead: bool) -> Watch:
        """What the thread of a step touches until it stops, as far as this execution shows; its own step, if it began before `before`."""
        watch = touches.watch
        if before.block == before.index:
            watch = self._block = Watch({})
        if self._block is not None:
            self._block.extend(touches)
            self._block.dead |= dead
            if frame.free:
                if self._rule.watches_waits:
                    self._watch_wait(self._block, frame)
                self._block.close()
                self._block = None
        return watch

    def _watch_wait(self, block: Watch, frame: Frame) -> None:
        """The thread that ran cannot go on; what would let it, if an access does."""
        assert frame.last is not None
        waiting = self._history.threads[frame.last]
        if waiting.operation is None or waiting.touches is None:
            return  # it has ended
        if frame.enabled >> frame.last & 1 or waiting.operation.kind is Op.JOIN or waiting.operation.timed:
            block.dead = True
        block.extend(waiting.touches)

    def go_on(self, frame: Frame, block: Frame) -> None:
        """The thread being tried at `frame`, which began to run at `block`, takes another alternative: all that it may do is watched."""
        frame.kept = (*frame.kept, frame.watch)
        if block is not frame and self._rule.watches_blocks and block.watch is not None:
            self._block = block.watch
            self._block.reopen()

    def cut(self) -> None:
        """The execution is over: a watch that is still open stays so, hence unusable."""
        self._block = None

    def fall_asleep(self, frame: Frame, thread: int) -> None:
        """Everything below `thread` at `frame` was explored."""
        whole = self._rule.knows_whole and not frame.partial and frame.step_watch is not None
        watch = frame.step_watch if whole else frame.watch
        watch = union((watch, *frame.kept))
        if watch is not None and watch.usable:
            if frame.watches is None:
                frame.watches = {}
            frame.watches[thread] = watch
            frame.whole |= whole << thread

    def plan(self, frame: Frame, thread: int) -> tuple[tuple[int, Footprint], ...]:
        """For the executor, who filters it when it performs the step of `thread`."""
        sleepers = self.sleepers(frame, thread)
        return tuple((sleeper, sleepers[sleeper].footprint()) for sleeper in sorted(sleepers))

    def sleepers(self, frame: Frame, thread: int) -> dict[int, Watch]:
        """Who sleeps when `thread` leaves `frame`, before its step wakes anybody."""
        if frame.watches is None:
            return frame.sleep
        watches, rule, guarded = frame.watches, self._rule, self._any_order and thread == frame.last
        if guarded or rule.knows_whole:
            watches = {
                sleeper: watch
                for sleeper, watch in watches.items()
                if frame.whole >> sleeper & 1 or not (guarded or not rule.sleeps_beside(frame, sleeper, thread))
            }
        return watches | frame.sleep

    def _still_asleep(self, frame: Frame, step: Step) -> dict[int, Watch]:
        sleepers = self.sleepers(frame, step.thread)
        if not sleepers or step.ends_process:
            return NO_SLEEPERS
        touches = self._history.touched
        mover = self._history.threads[step.thread]
        next_touches = mover.touches if self._rule.wakes_next else None
        if next_touches is not None and mover.operation is not None and mover.operation.kind.ends:
            return NO_SLEEPERS
        return {
            sleeper: watch
            for sleeper, watch in sleepers.items()
            if sleeper != step.thread and not watch.conflicts(touches) and (next_touches is None or not watch.conflicts(next_touches))
        }
