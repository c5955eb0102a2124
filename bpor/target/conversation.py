"""Conversation: what the controller and the target say to each other while one execution runs, and how long it may take."""

from __future__ import annotations

import contextlib
import os
import signal
import time

from bpor.errors import InternalError, OutOfTime
from bpor.model.plan import Plan, State
from bpor.model.trace import Outcome
from bpor.protocol import wire
from bpor.target.channel import ASK, BATCH, END, Capture, Channel, TargetSilent
from bpor.target.decode import Decoder
from bpor.target.endings import outcome_number
from bpor.target.options import TargetOptions
from bpor.target.watch import TargetWatch, send_watchdog

_MIDST = "time was over in the midst of an execution"
_SOON = 0.1  # seconds in which an execution mostly ends
_MERCY = 0.2  # seconds at least for a thread to tell where it is
_REAPED = 10.0  # seconds for the end of a process that was killed
COURTESY = 0.3  # seconds for an execution of the search that runs when time is over; one that is described may last to the last
_CUTS: dict[Outcome, int] = {Outcome.WATCHDOG: outcome_number("WATCHDOG"), Outcome.OUTPUT_LIMIT: outcome_number("OUTPUT_LIMIT")}


class Conversation:
    """With one target, in one mode of it."""

    def __init__(self, channel: Channel, options: TargetOptions, rollback: bool, outputs: tuple[Capture, Capture]) -> None:
        self.channel = channel
        self._options = options
        self._rollback = rollback  # the process that runs the execution runs the search too
        self._outputs = outputs

    def follow(self, plan: Plan, decoder: Decoder, courtesy: float = COURTESY) -> None:
        channel, until = self.channel, self.until(courtesy)
        while True:
            kind, a, _ = self.receive(until)
            if kind != END and time.monotonic() >= until:
                raise OutOfTime(_MIDST)
            if kind == BATCH:
                decoder.feed(channel.full_half(a))
            elif kind == ASK:
                decoder.feed(channel.new_events())
                channel.pick(self._choose(plan, decoder, a))
            elif kind == END:
                decoder.feed(channel.new_events())
                return
            else:
                raise InternalError(f"unexpected message {kind} from the target")

    def until(self, courtesy: float = COURTESY) -> float:
        return time.monotonic() + self._options.deadline.allows(courtesy)

    def receive(self, until: float) -> tuple[int, int, int]:
        """The next message, for as long as time is left and scheduling states go by."""
        with contextlib.suppress(TargetSilent):
            return self.channel.receive(min(_SOON, self._options.watchdog / 10))  # nearly always
        watch = self._watch(self._options.watchdog)
        while True:
            with contextlib.suppress(TargetSilent):
                return self.channel.receive(min(watch.tick, max(until - time.monotonic(), 0.0)))
            if watch.overdue():
                return self._cut(Outcome.WATCHDOG)
            if self._says_too_much():
                return self._cut(Outcome.OUTPUT_LIMIT)
            if time.monotonic() >= until:
                raise OutOfTime(_MIDST)

    def _watch(self, limit: float) -> TargetWatch:
        shared = self.channel.shared
        return TargetWatch(limit, lambda: int(shared.progress), lambda: (int(shared.child), int(shared.running)))

    def _says_too_much(self) -> bool:
        return max(output.size() for output in self._outputs) > self._options.output_limit

    def _cut(self, outcome: Outcome) -> tuple[int, int, int]:
        """Asks the thread that runs to end its execution, which tells where it is. One that cannot is killed all the same, if that ends
        an execution and not the search with it. The next message."""
        shared = self.channel.shared
        child, running = int(shared.child), int(shared.running)
        shared.cut_at = shared.progress
        shared.cut = _CUTS[outcome]
        send_watchdog(child, running)
        watch = self._watch(max(self._options.watchdog / 4, _MERCY))
        while not watch.overdue():
            with contextlib.suppress(TargetSilent):
                return self.channel.receive(watch.tick)
        if self._rollback or not child:
            raise TargetSilent
        shared.end.outcome = _CUTS[outcome]
        with contextlib.suppress(ProcessLookupError):
            os.kill(child, signal.SIGKILL)
        return self.channel.receive(_REAPED)

    def _choose(self, plan: Plan, decoder: Decoder, index: int) -> int | None:
        assert plan.chooser is not None
        end = self.channel.shared.end
        step = decoder.settle()
        last = step.thread if step else plan.prefix[index - 1] if index else None
        identity = decoder.states[-1] if decoder.states else None
        enabled, timed = wire.mask_of(end.enabled), wire.mask_of(end.timed)
        return plan.chooser(State(index, enabled, timed, last, dict(decoder.pending), step, identity))
