"""Bounds on an event's causal past: a function of the trace, not of the schedule, so plain race points and any Initialize within it do.

local-depth    steps in the causal past, the event included: the sum of its vector clock (Coons 2013). Reaches the local states of `depth`.
local-context  thread changes along the longest causal chain into the event. Every schedule that reaches it has at least as many
               context switches, so `local-context:c` reaches every local state of `context:c`, and more. The published definition (Coons
               2013, Def. 7.9) is not a function of the trace (erratum E14); this one is. Experimental: no schedule shows what it counts.

The measure of an operation is known before it runs, except that a try may turn out to be a read: it is measured as one beforehand, and
an execution that then exceeds the bound is stopped after that step.
"""

from __future__ import annotations

from abc import abstractmethod

from bpor.model.operation import Access, Footprint, Operation
from bpor.model.plan import Chooser, State
from bpor.model.policy import threads_in
from bpor.model.step import Step
from bpor.protocol.ops import Op
from bpor.search.bounds.asked import Asked
from bpor.search.engine.cells import Touches
from bpor.search.engine.clock import total
from bpor.search.engine.frame import Frame
from bpor.search.engine.history import History
from bpor.search.engine.tree import Tree

_TRIES = frozenset({Op.CAS, Op.MUTEX_TRYLOCK, Op.MUTEX_TIMEDLOCK, Op.SEM_TRYWAIT, Op.SEM_TIMEDWAIT})


class Causal(Asked):
    def __init__(self, bound: int) -> None:
        self.bound = bound
        self._values: list[int] = []  # measure of each step on the history
        self._noted = 0  # steps the chooser put on the history
        self._pending: dict[int, Operation] = {}

    @abstractmethod
    def measure(self, history: History, thread: int, operation: Operation, touches: Touches, ends: bool) -> int:
        """Of the step of `thread` that would touch these cells now."""

    def observe(self, tree: Tree, step: Step) -> None:
        history = tree.history
        ends = step.ends_process or step.operation.kind.ends
        value = self.measure(history, step.thread, step.operation, history.cells.resolve(step.footprint), ends)
        del self._values[len(history) :]
        self._values.append(value)

    def enter(self, tree: Tree, frame: Frame, before: Frame | None, step: Step | None) -> None:
        if before is not None:
            frame.cost = self._values[-1]

    def allows(self, tree: Tree, frame: Frame, thread: int) -> bool:
        return self._within(tree.history, thread)

    def chooser(self, tree: Tree, thread: int | None) -> Chooser:
        def choose(state: State) -> int | None:
            history = tree.history
            if state.last is None and not history.threads:
                history.begin(tuple(state.pending.items()))
            elif len(history) < state.index:
                step = _step_to(state, self._pending or _pending_of(history))
                self.observe(tree, step)
                history.push(step)
                self._noted += 1
                if self._values[-1] > self.bound:
                    return None
            self._pending = state.pending
            within = [each for each in threads_in(state.enabled) if self._within(history, each)]
            if not within:
                return None
            return state.last if state.last in within else within[0]

        return choose

    def settle(self, tree: Tree) -> None:
        for _ in range(self._noted):
            tree.history.pop()
        self._noted = 0
        self._pending = {}

    def _within(self, history: History, thread: int) -> bool:
        operation = history.operation(thread)
        assert operation is not None
        footprint = _as_reads(operation.footprint) if operation.kind in _TRIES else operation.footprint
        return self.measure(history, thread, operation, history.cells.resolve(footprint), operation.kind.ends) <= self.bound


class LocalDepth(Causal):
    def measure(self, history: History, thread: int, operation: Operation, touches: Touches, ends: bool) -> int:
        return total(history.clock_of(thread, operation, touches, ends))


class LocalContext(Causal):
    def measure(self, history: History, thread: int, operation: Operation, touches: Touches, ends: bool) -> int:
        values, schedule = self._values, history.schedule
        most = self._into(history, thread, thread)
        for cell, write in touches.pairs:
            for near in cell.near:
                if near.last_write >= 0:
                    most = max(most, values[near.last_write] + (schedule[near.last_write] != thread))
                if write:
                    most = max([most, *(values[index] + (other != thread) for other, index in near.readers.items())])
        if ends:
            ran = (state.last for state in history.threads.values() if state.last >= 0)
            most = max([most, *(values[index] + (schedule[index] != thread) for index in ran)])
        elif operation.kind is Op.JOIN and operation.target in history.threads:
            most = max(most, self._into(history, operation.target, thread))
        return most

    def _into(self, history: History, origin: int, thread: int) -> int:
        """Changes on the way from the last step of `origin` (or from the step that created it) into a step of `thread`."""
        state = history.threads[origin]
        index = state.last if state.last >= 0 else state.created
        return self._values[index] + (history.schedule[index] != thread) if index >= 0 else 0


def _as_reads(footprint: Footprint) -> Footprint:
    return tuple(Access(access.object, False, access.size) for access in footprint)


def _pending_of(history: History) -> dict[int, Operation]:
    return {thread: state.operation for thread, state in history.threads.items() if state.operation is not None}


def _step_to(state: State, before: dict[int, Operation]) -> Step:
    """The step that led to this state; made up from what was pending if the executor does not tell."""
    if state.step is not None:
        return state.step
    assert state.last is not None
    operation = before[state.last]
    announced = tuple((thread, after) for thread, after in state.pending.items() if thread == state.last or thread not in before)
    return Step(state.last, operation, operation.footprint, 0, announced)
