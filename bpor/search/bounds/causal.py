"""Bounds on an event's causal past: a function of the trace, not of the schedule, so plain race points and any Initialize within it do.

local-depth    steps in the causal past, the event included: the sum of its vector clock (Coons 2013). Reaches the local states of `depth`.
local-context  thread changes along the longest causal chain into the event. Every schedule that reaches it has at least as many
               context switches, so `local-context:c` reaches every local state of `context:c`, and more. The published definition (Coons
               2013, Def. 7.9) is not a function of the trace (erratum E14); this one is. Experimental: no schedule shows what it counts.
local-preemption
               preemptions that every schedule has which reaches the event, as far as one causal chain into it shows them: step p of
               another thread comes before step q of t, and after step a of t; from a to q nothing that t did could block, and t never
               yielded, so t was left while it could go on. Windows on one chain are disjoint, so these are different preemptions:
               `local-preemption:c` reaches every local state of `preemption:c`, and more. Experimental, likewise.

Whoever is beyond the bound stays so whatever others do, so sleep sets, transitive reduction and release optimisation are those of unbounded
search. The runtime does not know these bounds: it asks for every step after the prefix.
The measure of an operation is known before it runs, except that a try may turn out to be a read: it is measured as one beforehand, and
an execution that then exceeds the bound is stopped after that step.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator

from bpor.model.operation import Footprint, ObjectAccess, Operation
from bpor.model.plan import Chooser, Limits, State
from bpor.model.policy import threads_in
from bpor.model.step import Step
from bpor.model.trace import Outcome
from bpor.protocol.ops import Op
from bpor.search.engine.cells import Touches
from bpor.search.engine.clock import count, total
from bpor.search.engine.frame import Frame
from bpor.search.engine.history import History
from bpor.search.engine.rule import Rule
from bpor.search.engine.tree import Tree
from bpor.search.engine.watch import Watch

_TRIES = frozenset({Op.CAS, Op.MUTEX_TRYLOCK, Op.MUTEX_TIMEDLOCK, Op.SEM_TRYWAIT, Op.SEM_TIMEDWAIT})


class Causal(Rule):
    asks = True
    beside = True

    def __init__(self, bound: int, limits: Limits) -> None:
        self.bound = bound
        self.limits = limits
        self._values: list[int] = []  # measure of each step on the history
        self._noted = 0  # steps the chooser put on the history
        self._pending: dict[int, Operation] = {}
        self._stopped = Outcome.OVER_BOUND  # why the chooser did

    @abstractmethod
    def measure(self, history: History, thread: int, operation: Operation, touches: Touches, ends: bool) -> int:
        """Of the step of `thread` that would touch these cells now."""

    def observe(self, tree: Tree, step: Step) -> None:
        history = tree.history
        ends = step.ends_process or step.operation.kind.ends
        del self._values[len(history) :]
        value = self.measure(history, step.thread, step.operation, history.cells.resolve(step.footprint), ends)
        self._values.append(value)

    def allows(self, tree: Tree, frame: Frame, thread: int) -> bool:
        return self._within(tree.history, thread)

    def chooser(self, tree: Tree, thread: int | None) -> Chooser:
        sleepers = {} if thread is None else tree.sleepers(thread)

        def choose(state: State) -> int | None:
            nonlocal sleepers
            history = tree.history
            if state.last is None and not history.threads:
                history.begin(tuple(state.pending.items()))
            elif len(history) < state.index:
                step = _step_to(state, self._pending or _pending_of(history))
                self.observe(tree, step)
                history.push(step)
                self._noted += 1
                sleepers = _still_asleep(sleepers, step, history)
                if self._values[-1] > self.bound:
                    self._stopped = Outcome.OVER_BOUND
                    return None
            self._pending = state.pending
            awake = [each for each in threads_in(state.enabled) if each not in sleepers]
            within = [each for each in awake if self._within(history, each)]
            if not within:
                self._stopped = Outcome.OVER_BOUND if awake else Outcome.REDUNDANT
                return None
            return state.last if state.last in within else within[0]

        return choose

    def outcome(self, outcome: Outcome) -> Outcome:
        return self._stopped if outcome is Outcome.STOPPED else outcome

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
    def __init__(self, bound: int) -> None:
        super().__init__(bound, Limits(local_depth=bound))

    def measure(self, history: History, thread: int, operation: Operation, touches: Touches, ends: bool) -> int:
        return total(history.clock_of(thread, operation, touches, ends))


class Chain(Causal):
    """A sum along the causal chain for which it is largest."""

    @abstractmethod
    def counts(self, history: History, index: int, thread: int, operation: Operation) -> bool:
        """Does it, to come from step `index` of another thread to what `thread` does now?"""

    def measure(self, history: History, thread: int, operation: Operation, touches: Touches, ends: bool) -> int:
        values, schedule = self._values, history.schedule

        def come_by(index: int) -> int:
            return values[index] + (schedule[index] != thread and self.counts(history, index, thread, operation))

        return max((come_by(index) for index in self._causes(history, thread, operation, touches, ends) if index >= 0), default=0)

    def _causes(self, history: History, thread: int, operation: Operation, touches: Touches, ends: bool) -> Iterator[int]:
        """The steps that come right before one of `thread`; -1: there is none."""
        yield _past(history, thread)
        for cell, write in touches.pairs:
            for near in cell.near:
                yield near.last_write
                if write:
                    yield from near.readers.values()
        if ends:
            yield from (state.last for state in history.threads.values())
        elif operation.kind is Op.JOIN and operation.target in history.threads:
            yield _past(history, operation.target)


class LocalContext(Chain):
    def __init__(self, bound: int) -> None:
        super().__init__(bound, Limits(local_context=bound))

    def counts(self, history: History, index: int, thread: int, operation: Operation) -> bool:
        return True


class LocalPreemption(Chain):
    def __init__(self, bound: int) -> None:
        super().__init__(bound, Limits(local_preemption=bound))
        self._since: list[int] = []  # for each step: its thread was able to go on, and did not yield, since this step of its own

    def observe(self, tree: Tree, step: Step) -> None:
        super().observe(tree, step)
        mover = tree.history.threads[step.thread]
        number = mover.steps + 1
        since = self._since[mover.last] if mover.last >= 0 else 1
        del self._since[len(tree.history) :]
        self._since.append(number + 1 if step.cuts else number if step.operation.kind.blocks else since)

    def counts(self, history: History, index: int, thread: int, operation: Operation) -> bool:
        last = history.threads[thread].last
        return last >= 0 and not operation.kind.blocks and count(history.clocks[index], thread) >= self._since[last]


def _past(history: History, thread: int) -> int:
    """The step that gives a thread its past: its last one, or the one that created it."""
    state = history.threads[thread]
    return state.last if state.last >= 0 else state.created


def _still_asleep(sleepers: dict[int, Watch], step: Step, history: History) -> dict[int, Watch]:
    """As Sleep has it, for the step that was just put on the history."""
    return {each: watch for each, watch in sleepers.items() if each != step.thread and not watch.conflicts(history.touched)}


def _as_reads(footprint: Footprint) -> Footprint:
    return tuple(ObjectAccess(access.object, False, access.size) for access in footprint)


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
