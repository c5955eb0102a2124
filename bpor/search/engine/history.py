"""History: the steps on the stack with clocks, hashes and the tables race detection asks, each change undone when its step is popped.

Costs per step: O(threads) for a join of clocks, O(objects) for the rest; nothing rescans the stack.
Happens-before: program order, conflicting executed footprints, creation -> first step, last step -> join. Creation and join are edges
and nothing else: no dependence, no backtrack points. An event's hash covers its whole causal past and canonical names only (a thread is
its parent and how many children that had), so equivalent executions have equal sums of event hashes: `trace_hashes[-1]`.
"""

from __future__ import annotations

from bpor.model.choice import Choice
from bpor.model.mixing import MASK, mixed
from bpor.model.operation import Operation
from bpor.model.step import Step
from bpor.protocol.ops import Op
from bpor.search.engine.cells import Cell, Cells, Touches
from bpor.search.engine.clock import NEVER, Clock, count, guards_with, join, step_of
from bpor.search.engine.locks import Locks


class _TopThread:
    """One thread at the top of the stack."""

    __slots__ = ("children", "clock", "created", "hash", "last", "name", "operation", "steps", "touches")

    def __init__(self, name: int, clock: Clock, past: int, created: int = -1) -> None:
        self.name = name
        self.created = created  # index of the step that created it; -1: there from the start
        self.clock = clock  # of its last step, or of the step that created it
        self.hash = past  # likewise
        self.last = -1  # index of its last step
        self.steps = 0
        self.children = 0
        self.operation: Operation | None = None  # pending; None: ended
        self.touches: Touches | None = None


_SavedCell = tuple[Cell, bool, int | None, int, int, int, Clock]
# What one step changed: the mover's operation, (clock, hash, last, children) of it, the cells, the threads it created.
_Undo = tuple[Operation, Touches, tuple[Clock, int, int, int], list[_SavedCell], tuple[int, ...]]


class History:
    def __init__(self, track_locks: bool = False) -> None:
        self.cells = Cells()
        self.locks = Locks()
        self._track_locks = track_locks
        self.threads: dict[int, _TopThread] = {}
        self.schedule: list[int] = []  # thread of each step
        self.choices: list[Choice] = []  # with the alternative it took
        self.clocks: list[Clock] = []
        self.step_hashes: list[int] = []  # as the executor computed them
        self.trace_hashes: list[int] = [0]  # after so many steps
        self.event_hash = 0  # of the last step pushed
        self.touched = self.cells.resolve(())  # by the last step pushed
        self._undo: list[_Undo] = []
        self._enders = 0  # mask: pending operations that end the process
        self._live = 0  # mask: threads with a pending operation
        self._guards = 0  # for the clocks of all threads

    def __len__(self) -> int:
        return len(self.schedule)

    def begin(self, initial: tuple[tuple[int, Operation], ...]) -> None:
        """The threads of the initial state."""
        for thread, operation in initial:
            self._enter(thread, _TopThread(mixed(-1, thread), NEVER, 0))
            self._announce(thread, self.threads[thread], operation, self.cells.resolve(operation.footprint))

    @property
    def live(self) -> int:
        """Mask of the threads with a pending operation."""
        return self._live

    def operation(self, thread: int) -> Operation | None:
        state = self.threads.get(thread)
        return state.operation if state is not None else None

    # ---- push and pop ----

    def push(self, step: Step) -> int:
        """Records a step. Answers the mask of the threads whose pending operation depends on it."""
        thread, operation, index = step.thread, step.operation, len(self.schedule)
        mover = self.threads[thread]
        old, old_touches = mover.operation, mover.touches
        assert old is not None and old_touches is not None
        touches = old_touches if step.footprint is old.footprint else self.cells.resolve(step.footprint)
        racers, clock, seen = self._look(mover.clock, touches)
        if step.ends_process or operation.kind.ends:
            racers, clock = self._live, self._all_clocks(clock)
            seen.append(self.trace_hashes[-1])
        elif operation.kind is Op.JOIN and operation.target in self.threads and not (step.failed or step.timed_out):
            joined = self.threads[operation.target]
            clock = join(clock, joined.clock, self._guards)
            seen.append(joined.hash)
        if step.alternative:
            clock = self._take_alternative(step, clock, seen)
        clock += step_of(thread)
        event = mixed(mover.hash, mover.name, mover.steps, operation.kind.number, *seen)
        before = (mover.clock, mover.hash, mover.last, mover.children)
        cells = self._record(thread, index, touches, clock, event)
        mover.clock, mover.hash, mover.last = clock, event, index
        mover.steps += 1
        self.schedule.append(thread)
        self.choices.append(step.choice)
        self.clocks.append(clock)
        self.step_hashes.append(step.hash)
        self.trace_hashes.append((self.trace_hashes[-1] + event) & MASK)
        self.event_hash, self.touched = event, touches
        if self._track_locks:
            self.locks.push(index, step)
        created = self._announce_all(thread, mover, step)
        self._undo.append((old, old_touches, before, cells, created))
        return racers & ~(1 << thread)

    def _take_alternative(self, step: Step, clock: Clock, seen: list[int]) -> Clock:
        """Which of them it took is part of the event; what an old read saw happens before it."""
        seen.append(step.alternative)
        if step.source is None:
            return clock
        seen.append(self.trace_hashes[step.source + 1] - self.trace_hashes[step.source] & MASK)
        return join(clock, self.clocks[step.source], self._guards)

    def _look(self, clock: Clock, touches: Touches) -> tuple[int, Clock, list[int]]:
        """What a step that touches these cells finds there: whose pending operation conflicts, the clock of what it follows, hashes."""
        racers, clocks, guards = self._enders, self.clocks, self._guards
        seen: list[int] = []
        for cell, write in touches.pairs:
            writes = reads = 0
            for near in cell.near:
                writes += near.write_hash
                if near.last_write >= 0:
                    clock = join(clock, clocks[near.last_write], guards)
                if not write:
                    racers |= near.pending_write
                    continue
                racers |= near.pending_access
                reads += near.reads_hash
                if near.reads_clock:
                    clock = join(clock, near.reads_clock, guards)
            seen += (cell.access.object, writes, reads if write else -1)
        return racers, clock, seen

    def pop(self) -> None:
        self.pop_to(len(self.schedule) - 1)

    def pop_to(self, length: int) -> None:
        """So many steps are left."""
        if length == len(self.schedule):
            return
        for thread, undo in zip(reversed(self.schedule[length:]), reversed(self._undo[length:]), strict=True):
            self._take_back(thread, undo)
        for table in (self.schedule, self.choices, self.clocks, self.step_hashes, self._undo):
            del table[length:]
        del self.trace_hashes[length + 1 :]
        if self._track_locks:
            self.locks.pop_to(length)

    def _take_back(self, thread: int, undo: _Undo) -> None:
        operation, touches, saved, cells, created = undo
        mover = self.threads[thread]
        for child in created:
            self._retract(child, self.threads.pop(child))
        mover.clock, mover.hash, mover.last, mover.children = saved
        mover.steps -= 1
        self._announce(thread, mover, operation, touches)
        for cell, write, before, last_write, write_hash, reads_hash, reads_clock in reversed(cells):
            table = cell.writers if write else cell.readers
            if before is None:
                del table[thread]
            else:
                table[thread] = before
            cell.last_write, cell.write_hash, cell.reads_hash, cell.reads_clock = last_write, write_hash, reads_hash, reads_clock

    def clock_of(self, thread: int, operation: Operation, touches: Touches, ends: bool) -> Clock:
        """The clock a step of `thread` would get that touches these cells now."""
        _, clock, _ = self._look(self.threads[thread].clock, touches)
        if ends:
            clock = self._all_clocks(clock)
        elif operation.kind is Op.JOIN and operation.target in self.threads:
            clock = join(clock, self.threads[operation.target].clock, self._guards)
        return clock + step_of(thread)

    def _all_clocks(self, clock: Clock) -> Clock:
        for other in self.threads.values():
            clock = join(clock, other.clock, self._guards)
        return clock

    def _record(self, thread: int, index: int, touches: Touches, clock: Clock, event: int) -> list[_SavedCell]:
        saved: list[_SavedCell] = []
        for cell, write in touches.pairs:
            table = cell.writers if write else cell.readers
            saved.append((cell, write, table.get(thread), cell.last_write, cell.write_hash, cell.reads_hash, cell.reads_clock))
            table[thread] = index
            if write:
                cell.last_write, cell.write_hash, cell.reads_hash, cell.reads_clock = index, event, 0, NEVER
            else:
                cell.reads_hash = (cell.reads_hash + event) & MASK
                cell.reads_clock = join(cell.reads_clock, clock, self._guards)
        return saved

    # ---- pending operations ----

    def _announce_all(self, thread: int, mover: _TopThread, step: Step) -> tuple[int, ...]:
        """What is pending after a step. Answers the threads that it created."""
        created: tuple[int, ...] = ()
        goes_on = False
        for announced, operation in step.announced:
            if announced == thread:
                goes_on = True
            else:
                created += (self._create(announced, mover),)
            self._announce(announced, self.threads[announced], operation, self.cells.resolve(operation.footprint))
        if not goes_on:
            self._retract(thread, mover)
        for ended in step.finished:
            if ended not in self.threads:
                created += (self._create(ended, mover),)
        return created

    def _create(self, thread: int, creator: _TopThread) -> int:
        self._enter(thread, _TopThread(mixed(creator.name, creator.children), creator.clock, creator.hash, creator.last))
        creator.children += 1
        return thread

    def _enter(self, thread: int, state: _TopThread) -> None:
        self.threads[thread] = state
        self._guards = guards_with(thread, self._guards)

    def _announce(self, thread: int, state: _TopThread, operation: Operation, touches: Touches) -> None:
        """Instead of what was pending before, if anything was."""
        if state.touches is not touches:
            self._retract(thread, state)
            bit = 1 << thread
            self._live |= bit
            for cell, write in touches.pairs:
                cell.pending_access |= bit
                if write:
                    cell.pending_write |= bit
        elif self._enders:
            self._enders &= ~(1 << thread)
        state.operation, state.touches = operation, touches
        if operation.kind.ends:
            self._enders |= 1 << thread

    def _retract(self, thread: int, state: _TopThread) -> None:
        if state.touches is None:
            return  # it has ended
        others = ~(1 << thread)
        for cell, _ in state.touches.pairs:
            cell.pending_access &= others
            cell.pending_write &= others
        self._live &= others
        self._enders &= others
        state.operation = state.touches = None

    # ---- what race detection asks ----

    def knows(self, clock: Clock, index: int) -> bool:
        """Does step `index` happen before (or is it) the step with this clock?"""
        thread = self.schedule[index]
        return count(clock, thread) >= count(self.clocks[index], thread)

    def has_ended(self, thread: int) -> bool:
        """By a step of its own."""
        state = self.threads.get(thread)
        return state is not None and state.operation is None and state.last >= 0

    def joining(self, ended: int) -> list[int]:
        """The threads whose pending operation joins this one."""
        return [
            thread
            for thread, state in self.threads.items()
            if state.operation is not None and state.operation.kind is Op.JOIN and state.operation.target == ended
        ]

    def last_dependents(self, thread: int) -> list[int]:
        """For every other thread, its last step on which the pending operation of `thread` depends."""
        state = self.threads[thread]
        if state.operation is None or state.touches is None:
            return []
        if state.operation.kind.ends:
            return self.last_of_others(thread)
        found: dict[int, int] = {}
        for cell, write in state.touches.pairs:
            for near in cell.near:
                for other, index in near.writers.items():
                    if index > found.get(other, -1):
                        found[other] = index
                if write:
                    for other, index in near.readers.items():
                        if index > found.get(other, -1):
                            found[other] = index
        found.pop(thread, None)
        return list(found.values())

    def waits_timed(self) -> int:
        """Mask of the threads whose next operation may end by a timeout."""
        return sum(1 << number for number, state in self.threads.items() if state.operation is not None and state.operation.timed)

    def last_of_others(self, thread: int) -> list[int]:
        """What the end of the process depends on."""
        return [other.last for number, other in self.threads.items() if number != thread and other.last >= 0]

    def direct_dependents(self, thread: int) -> list[int]:
        """The last dependents that are uncovered. Of each cell that can only be the last write, which covers all that came before, or reads
        since then."""
        state = self.threads[thread]
        if state.operation is None or state.touches is None:
            return []
        if state.operation.kind.ends:
            return self.uncovered(thread, self.last_of_others(thread))
        return self.direct_dependents_of(state.clock, state.touches)

    def direct_dependents_of(self, clock: Clock, touches: Touches) -> list[int]:
        """The same for a thread with this clock that would touch these cells."""
        found: set[int] = set()
        for cell, write in touches.pairs:
            for near in cell.near:
                last = near.last_write
                if last >= 0 and not self.knows(clock, last):
                    found.add(last)
                if write and near.reads_clock:
                    found.update(index for index in near.readers.values() if index > last and not self.knows(clock, index))
        return list(found) if len(found) < 2 else self._latest(sorted(found))

    def uncovered(self, thread: int, found: list[int]) -> list[int]:
        """Transitive reduction: without those that happen before the thread's last step or before another one found."""
        clock = self.threads[thread].clock
        left = [index for index in found if not self.knows(clock, index)]
        return left if len(left) < 2 else self._latest(left)

    def _latest(self, found: list[int]) -> list[int]:
        return [index for index in found if not any(other != index and self.knows(self.clocks[other], index) for other in found)]
