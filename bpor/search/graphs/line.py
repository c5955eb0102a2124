"""Line: one linearisation of a graph, step by step, and the event of each step. Thread numbers are those of the crew throughout.

Invariant: `last` and `hash` are functions of the set of events alone; every push is undone by a pop.
"""

from __future__ import annotations

from collections.abc import Iterator

from bpor.model.operation import Footprint, ObjectAccess, Operation
from bpor.model.step import Step
from bpor.protocol.ops import Op
from bpor.search.engine.cells import Touches
from bpor.search.engine.history import History
from bpor.search.graphs.events import Events


class Line:
    def __init__(self, events: Events) -> None:
        self._table = events
        self.history = History()
        self.events: list[int] = []  # of each step
        self._hashes = [0]

    def __len__(self) -> int:
        return len(self.events)

    def begin(self, initial: tuple[tuple[int, Operation], ...]) -> None:
        self.history.begin(initial)

    @property
    def hash(self) -> int:
        return self._hashes[-1]

    @property
    def last(self) -> frozenset[int]:
        """The last event of every thread that has run."""
        return frozenset(self.events[state.last] for state in self.history.threads.values() if state.last >= 0)

    def push(self, step: Step) -> int:
        history = self.history
        ends = step.ends_process or step.operation.kind.ends
        joins = not (step.failed or step.timed_out)
        key = self._key(step.thread, step.operation, history.cells.resolve(step.footprint), ends, joins)
        event = self._table.intern(key, step)
        history.push(step)
        self.events.append(event)
        self._hashes.append(self._hashes[-1] ^ self._table.hashes[event])
        return event

    def pop(self) -> None:
        self.history.pop()
        self.events.pop()
        self._hashes.pop()

    def foresee(self, thread: int) -> Iterator[tuple[int, int, frozenset[int]]]:
        """(event, hash, last) of the states the next step of a thread may lead to, as far as its event is known from elsewhere.

        What a step does is settled by its past, so at most one of them is real: the event of one that some execution has seen.
        """
        operation = self.history.operation(thread)
        assert operation is not None
        before = self.history.threads[thread].last
        last = self.last - {self.events[before]} if before >= 0 else self.last
        seen: set[int] = set()
        for footprint, ends, joins in _ways(operation):
            event = self._table.find(self._key(thread, operation, self.history.cells.resolve(footprint), ends, joins))
            if event is not None and event not in seen:
                seen.add(event)
                yield event, self.hash ^ self._table.hashes[event], last | {event}

    def predict(self, thread: int) -> Step | None:
        """The next step of a thread, if some execution has seen it with this very past. Its footprint has a say in what its past is: a try
        that wrote where nobody had read is no prediction where somebody has."""
        for event, _, _ in self.foresee(thread):
            step = self._table.steps[event]
            touches = self.history.cells.resolve(step.footprint)
            ends, joins = step.ends_process or step.operation.kind.ends, not (step.failed or step.timed_out)
            if self._table.find(self._key(thread, step.operation, touches, ends, joins)) == event:
                return step
        return None

    def _key(self, thread: int, operation: Operation, touches: Touches, ends: bool, joins: bool) -> tuple[int, int, int, frozenset[int]]:
        state = self.history.threads[thread]
        follows = {state.last if state.last >= 0 else state.created}
        for cell, write in touches.pairs:
            for near in cell.near:
                follows.add(near.last_write)
                if write:
                    follows.update(index for index in near.readers.values() if index > near.last_write)
        if ends:
            follows.update(other.last for other in self.history.threads.values())
        elif joins and operation.kind is Op.JOIN and operation.target in self.history.threads:
            target = self.history.threads[operation.target]
            follows.add(target.last if target.last >= 0 else target.created)
        return thread, state.steps, operation.kind.number, frozenset(self.events[index] for index in follows if index >= 0)


def _ways(operation: Operation) -> list[tuple[Footprint, bool, bool]]:
    """(executed footprint, ends the process, joins): a try that failed is a read, and any step may end the process (a crash)."""
    pending = operation.footprint
    reading = tuple(ObjectAccess(access.object, False, access.size) for access in pending)
    footprints = [pending] if reading == pending else [pending, reading]
    joins = (True, False) if operation.kind is Op.JOIN else (True,)
    return [(footprint, ends, join) for ends in (operation.kind.ends, True) for footprint in footprints for join in joins]
