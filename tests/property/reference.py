"""The search in its plainest form: recursive, on copied worlds, one method per rule. The engine is compared with it; mutants bend it.

Invariant: it knows programs only through simulate.World and shares no code with bpor.search; quadratic where that is simpler.
Sources: BPOR 2013 (Alg. 3, 4), DPOR 2005, with the corrections E1 to E27.
"""

from __future__ import annotations

from collections.abc import Iterable

from bpor.model.operation import Footprint, ObjectAccess, Operation, conflict
from bpor.model.policy import threads_in
from bpor.model.trace import Outcome
from bpor.protocol.ops import Op
from bpor.simulate.coverage import Coverage, Recording
from bpor.simulate.oracle import Oracle
from bpor.simulate.world import World
from tests.property.reference_state import Event, Frame, Options, TooLong, Watch

__all__ = ["Event", "Frame", "Options", "Reference", "TooLong", "Watch"]


class Reference:
    """Explore, for the bounds none, preemption, fair and both."""

    def __init__(
        self,
        oracle: Oracle,
        preemption: int | None = None,
        fair: int | None = None,
        options: Options | None = None,
        max_runs: int = 200_000,
    ) -> None:
        self.oracle = oracle
        self.preemption, self.fair = preemption, fair
        self.options = options or Options()
        self.max_runs = max_runs
        self.coverage = Coverage(oracle.events)
        self.events: list[Event] = []
        self.frames: list[Frame] = []

    @property
    def unbounded(self) -> bool:
        return self.preemption is None and self.fair is None

    # ---- runs ----

    @property
    def runs(self) -> int:
        return self.coverage.complete_runs

    @property
    def wasted(self) -> int:
        return self.coverage.other_runs

    def explore(self) -> Coverage:
        world = World(self.oracle.program, self.oracle.semantics, self.oracle.unrolling)
        self.coverage.local_values.update(world.observed())
        self._explore(self._frame(world, None, {}))
        return self.coverage

    def _frame(self, world: World, before: Frame | None, sleep_in: dict[int, Footprint]) -> Frame:
        ready, waiters = world.enabledness()
        pending = {thread: operation for thread in range(len(world.nodes)) if (operation := world.pending(thread)) is not None}
        event = self.events[-1] if before is not None else None
        frame = Frame(world, ready, 0, pending, None, False, 0, {thread: 0 for thread in range(len(world.nodes))}, sleep_in)
        if before is not None and event is not None:
            frame.last, frame.last_cut = event.thread, event.cuts
            frame.spent = before.spent + self.preempts(before, event.thread)
            frame.yields.update(before.yields)
            frame.yields[event.thread] += event.yields
            for created in range(len(before.world.nodes), len(world.nodes)):
                frame.yields[created] = frame.yields[event.thread]
            frame.circling = set(before.circling)
            if event.yields:
                frame.circling = before.circling - {event.thread} | ({event.thread} if event.circles else set())
        if waiters and all(self._blocked_among(frame, thread, ready | waiters) for thread in threads_in(ready)):
            frame.enabled, frame.timed = ready | waiters, waiters
        if self.beside_timed(frame):
            frame.sleep_in = {}
        return frame

    def _explore(self, frame: Frame) -> bool:
        depth = len(self.events)
        self.frames.append(frame)
        if depth > 200:
            raise TooLong("steps")
        self.detect(depth)
        exceeded = False
        if not frame.enabled or frame.world.ending is not None:
            self._end(frame.world.outcome_if_stuck().outcome)
        else:
            exceeded = self._explore_enabled(depth, frame)
        self.frames.pop()
        return exceeded

    def _explore_enabled(self, depth: int, frame: Frame) -> bool:
        exceeded = False
        self.initialize(frame)
        if not frame.backtrack:
            self._end(Outcome.REDUNDANT)
        explored = 0
        while (thread := self.pick(frame, exceeded)) is not None:
            if thread in frame.sleep_in and self.options.sleep:
                frame.done[thread] = None
                continue
            if not self.within(frame, thread):
                exceeded, frame.done[thread] = True, None
                continue
            explored += 1
            exceeded |= self._descend(depth, frame, thread)
        if frame.backtrack and not explored:
            self._end(Outcome.OVER_BOUND)
        return exceeded

    def _descend(self, depth: int, frame: Frame, thread: int) -> bool:
        world = frame.world.copy()
        operation = frame.pending[thread]
        effect = world.perform(thread)
        following = world.pending(thread) if world.ending is None else None
        event = Event(
            thread, operation.kind, self.executed(operation, effect.footprint), world.ending is not None, effect.cuts or effect.yields,
            effect.yields, effect.yields and not effect.passing, 0, {}, following,
        )  # fmt: skip
        self._clock(event, frame)
        frame.exploring, frame.watch_open = thread, True
        frame.block = depth if self.starts_block(depth, frame, thread) else self.frames[depth - 1].block
        sleep = self.child_sleep(frame, thread, event) if self.options.sleep else {}
        self.events.append(event)
        exceeded = self._explore(self._frame(world, frame, sleep))
        self.events.pop()
        if frame.watch_open:
            raise AssertionError("the first run below a step never ended")
        return exceeded

    def _clock(self, event: Event, frame: Frame) -> None:
        """Happens-before by a scan of the whole execution."""
        clock: dict[int, int] = {}
        for index, other in enumerate(self.events):
            spawned = any(child == event.thread for child in self._created(index))
            joined = event.kind is Op.JOIN and frame.pending[event.thread].target == other.thread
            if other.thread == event.thread or spawned or joined or self.dependent(other, event):
                for thread, local in other.clock.items():
                    clock[thread] = max(clock.get(thread, 0), local)
        event.local = clock.get(event.thread, 0) + 1
        clock[event.thread] = event.local
        event.clock = clock

    def _created(self, index: int) -> Iterable[int]:
        after = self.frames[index + 1].world if index + 1 < len(self.frames) else None
        return range(len(self.frames[index].world.nodes), len(after.nodes)) if after is not None else ()

    def _spawn_of(self, thread: int) -> int:
        return next((index for index in range(len(self.events)) if thread in self._created(index)), -1)

    def _end(self, outcome: Outcome) -> None:
        recording = Recording(self.coverage)
        for index, event in enumerate(self.events):
            after = self.frames[index + 1].world
            action = self.frames[index].world.nodes[event.thread].action
            assert action is not None
            recording.step(after, event.thread, event.kind.number, event.footprint, action.target)
        recording.end(self.frames[-1].world, outcome)
        for index, frame in enumerate(self.frames[: len(self.events)]):
            if frame.watch_open:
                frame.watch_open = False
                frame.done[frame.exploring] = self.watch(index, frame, frame.exploring)
        if self.runs + self.wasted > self.max_runs:
            raise TooLong("runs")

    # ---- the rules, one method each ----

    def executed(self, operation: Operation, footprint: Footprint) -> Footprint:
        return footprint

    def dependent(self, first: Event, second: Event) -> bool:
        return first.thread != second.thread and (first.ends or second.ends or conflict(first.footprint, second.footprint))

    def races(self, event: Event, operation: Operation) -> bool:
        return event.ends or operation.kind.ends or conflict(event.footprint, operation.footprint)

    def detect(self, depth: int) -> None:
        """Race detection for the last event and for the operations it made pending."""
        if depth == 0:
            return
        event, frame = self.events[-1], self.frames[-1]
        for thread, operation in self.frames[-2].pending.items():
            if thread != event.thread and self.races(event, operation):
                self.backtrack(self.release_point(depth - 1, operation), thread)
        if self.idle_by_yields(self.frames[-2], event.thread):
            self.detect_for(event.thread, Operation(Op.PROCESS_END), len(self.events) - 1)
        if frame.world.ending is not None:
            self.detect_end(event)
            return
        fresh = [thread for thread in frame.pending if thread not in self.frames[-2].pending]
        self.detect_enabling(depth, event, frame)
        for thread in (event.thread, *fresh):
            if thread in frame.pending:
                self.detect_for(thread, frame.pending[thread])

    def detect_enabling(self, depth: int, event: Event, frame: Frame) -> None:
        """Fair bound: an end that lets a joiner go on enables a thread that may have yielded less and so blocks others.

        A release does so too, but races with the operation of the thread it enables; end and join have no footprint.
        """
        if self.fair is None:
            return
        joiners = [
            thread
            for thread, operation in frame.pending.items()
            if operation.kind is Op.JOIN and operation.target == event.thread and event.thread not in frame.pending
        ]
        if any(frame.yields[thread] < frame.yields[event.thread] for thread in joiners):
            self.add_all_before(depth - 1)
        self.detect_late_joins(event, frame)

    def detect_late_joins(self, event: Event, frame: Frame) -> None:
        """A join of a thread that has ended: had the end come later, the joiner would have had to wait."""
        for thread, operation in frame.pending.items():
            new = thread == event.thread or thread not in self.frames[-2].pending
            ended = operation.target if operation.kind is Op.JOIN and operation.target not in frame.pending else None
            steps = [index for index, each in enumerate(self.events) if each.thread == ended]
            if new and ended is not None and steps and frame.yields[thread] < frame.yields[ended]:
                self.add_all_before(steps[-1])

    def add_all_before(self, index: int) -> None:
        self.frames[index].backtrack |= set(threads_in(self.frames[index].enabled))
        self.add_all_at_block(index)

    def detect_end(self, event: Event) -> None:
        """A step that turned out to end the process depends on everything before it, which its pending operation did not show."""
        if not event.kind.ends:
            self.detect_for(event.thread, Operation(Op.PROCESS_END), len(self.events) - 1)

    def detect_for(self, thread: int, operation: Operation, before: int | None = None) -> None:
        past = self.events[:before]
        birth = self._spawn_of(thread)
        own = max((index for index, event in enumerate(past) if event.thread == thread), default=birth)
        latest: dict[int, int] = {}
        for index, event in enumerate(past):
            if event.thread != thread and self.races(event, operation):
                latest[event.thread] = index
        if birth >= 0:  # what happens before a thread's creation cannot come after its operations
            latest = {other: index for other, index in latest.items() if index != birth and not self.covered(index, {birth})}
        for index in latest.values():
            if not (self.options.transitive and self.covered(index, {own, *latest.values()} - {index, -1})):
                self.backtrack(self.release_point(index, operation), thread)

    def idle_by_yields(self, frame: Frame, thread: int) -> bool:
        """Does a thread time out only because the fair bound keeps all others waiting? Then that depends on all they did."""
        return bool(frame.timed >> thread & 1 and frame.enabled & ~frame.timed)

    def beside_timed(self, frame: Frame) -> bool:
        """Fair bound: while somebody waits who may time out, any step may make the state idle, so nobody sleeps."""
        return self.fair is not None and any(operation.timed for operation in frame.pending.values())

    def covered(self, index: int, others: set[int]) -> bool:
        event = self.events[index]
        return any(self.events[other].clock.get(event.thread, 0) >= event.local for other in others)

    def release_point(self, index: int, operation: Operation) -> int:
        """Unbounded: a lock that raced with a release is tried before the matching acquire."""
        event = self.events[index]
        releasing = event.kind in (Op.MUTEX_UNLOCK, Op.COND_WAIT) and not event.ends  # misuse releases nothing
        if not (self.unbounded and self.options.release and releasing and operation.kind in (Op.MUTEX_LOCK, Op.COND_WAKE)):
            return index
        mutexes = {access.object for access in operation.footprint[-1:]} & {access.object for access in event.footprint[-1:]}  # E49
        for earlier in range(index - 1, -1, -1):
            other = self.events[earlier]
            if other.thread == event.thread and other.kind.acquires and any(access.object in mutexes for access in other.footprint):
                return earlier
        return index

    def backtrack(self, index: int, thread: int) -> None:
        self.add(index, thread, conservative=False)
        start = self.frames[index].block
        if self.preemption is not None and start != index:
            self.add(start, thread, conservative=True)

    def add_all_at_block(self, index: int) -> None:
        """What an enabling end asks for at its own state it asks for at the start of its block too."""
        frame = self.frames[self.frames[index].block]
        if self.preemption is not None and self.frames[index].block != index:
            (frame.waiting if self.options.bound_optimisation else frame.backtrack).update(threads_in(frame.enabled))

    def add(self, index: int, thread: int, conservative: bool) -> None:
        frame = self.frames[index]
        chosen = frame.waiting if conservative and self.options.bound_optimisation else frame.backtrack
        added = self.added(frame, thread)
        if conservative:
            frame.conservative |= added - frame.backtrack
        else:
            frame.conservative -= added
        chosen |= added

    def added(self, frame: Frame, thread: int) -> set[int]:
        asleep = self.options.sleep and thread in frame.sleep_in
        if frame.enabled >> thread & 1 and not asleep and not self.fair_blocked(frame, thread):
            return {thread}
        return set(threads_in(frame.enabled))

    def initialize(self, frame: Frame) -> None:
        awake = [thread for thread in threads_in(frame.enabled) if not (self.options.sleep and thread in frame.sleep_in)]
        if not awake:
            return
        if frame.last in awake and self.within(frame, frame.last):
            frame.backtrack.add(frame.last)
        else:
            allowed = [thread for thread in awake if self.within(frame, thread)] or awake
            frame.backtrack.add(min(allowed, key=lambda thread: (self.fair_cost(frame, thread, frame.enabled), thread)))
        frame.backtrack |= self.timeouts_to_try(frame)

    def timeouts_to_try(self, frame: Frame) -> set[int]:
        return set(threads_in(frame.timed))

    def pick(self, frame: Frame, exceeded: bool) -> int | None:
        for candidates in (frame.backtrack, frame.waiting if exceeded else set[int]()):
            left = [thread for thread in candidates if thread not in frame.done]
            if left:
                return self.first(left, frame)
        return None

    def first(self, threads: list[int], frame: Frame) -> int:
        return min(threads, key=lambda thread: (thread != frame.last, thread))

    def fair_cost(self, frame: Frame, thread: int, enabled: int) -> int:
        if self.fair is None:
            return 0
        return max(frame.yields[thread] - frame.yields[other] for other in threads_in(enabled))

    def _blocked_among(self, frame: Frame, thread: int, enabled: int) -> bool:
        return self.fair is not None and thread in frame.circling and self.fair_cost(frame, thread, enabled) > self.fair

    def fair_blocked(self, frame: Frame, thread: int) -> bool:
        return self._blocked_among(frame, thread, frame.enabled)

    def leaving_is_free(self, frame: Frame) -> bool:
        last = frame.last
        if last is None or not frame.enabled >> last & 1:
            return True
        return frame.last_cut or bool(frame.timed) or self._blocked_among(frame, last, frame.enabled)

    def preempts(self, frame: Frame, thread: int) -> bool:
        return thread != frame.last and not self.leaving_is_free(frame)

    def within(self, frame: Frame, thread: int) -> bool:
        if self._blocked_among(frame, thread, frame.enabled):
            return False
        return self.preemption is None or frame.spent + self.preempts(frame, thread) <= self.preemption

    def starts_block(self, depth: int, frame: Frame, thread: int) -> bool:
        return depth == 0 or frame.last != thread or frame.last_cut or bool(frame.timed)

    def child_sleep(self, frame: Frame, thread: int, event: Event) -> dict[int, Footprint]:
        asleep = {other: watch for other, watch in frame.done.items() if watch is not None} | frame.sleep_in
        return {other: watch for other, watch in asleep.items() if other != thread and not self.wakes(watch, event)}

    def wakes(self, watch: Footprint, event: Event) -> bool:
        if event.ends or conflict(watch, event.footprint):
            return True
        following = event.following
        return self.preemption is not None and following is not None and (following.kind.ends or conflict(watch, following.footprint))

    def watch(self, index: int, frame: Frame, thread: int) -> Watch:
        """What a thread explored from a state watches while it sleeps; asked at the end of the first run below."""
        event = self.events[index]
        ended = thread not in self.frames[index + 1].pending  # an end is a release: it may enable a joiner
        if event.ends or frame.timed >> thread & 1 or (self.fair is not None and (event.kind.releases or ended)):
            return None
        if self.beside_timed(frame) or self.beside_timed(self.frames[index + 1]):
            return None
        if self.preemption is None or not self.starts_block(index, frame, thread):
            return event.footprint
        return self.extension(index, thread)

    def extension(self, index: int, thread: int) -> Watch:
        """What the thread touches, run alone until it blocks, ends or may be left for nothing."""
        accesses: set[ObjectAccess] = set()
        for position in range(index, len(self.events)):
            event, after = self.events[position], self.frames[position + 1]
            if event.thread != thread:
                break
            ended = self.fair is not None and thread not in after.pending
            if event.ends or ended or self.beside_timed(after):
                return None
            accesses |= set(event.footprint)
            if self.leaving_is_free(after):
                break
        return tuple(sorted(accesses))
