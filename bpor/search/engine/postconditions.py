"""The corrected postconditions of the search, checked at run time by rescanning. This is a debugging aid: it takes quadratic time, and it
switches sleep sets off.

BPOR proves its search by postconditions on the backtrack sets: whenever a step of the stack races with what a thread will do at a
later state, the state before that step (and, under a preemption bound, the start of its block) must have a point for that thread. This
file states them with our corrections (errata E1, E2, E5, E8) and checks every stack from the raw steps, with the dependence relation of
bpor.model alone: no clocks, no tables, nothing incremental. Any violation is our bug, hence InternalError.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from bpor.errors import InternalError
from bpor.model.operation import Operation, conflict
from bpor.model.policy import threads_in
from bpor.model.step import Step
from bpor.search.engine.frame import Frame

if TYPE_CHECKING:
    from bpor.search.engine.tree import Tree


class Postconditions:
    def __init__(self, tree: Tree) -> None:
        self._tree = tree
        self._steps: list[Step] = []
        self._pending: list[dict[int, Operation]] = []  # at the state before each step, and at the top

    def push(self, step: Step) -> None:
        if not self._pending:
            self._pending.append(self._initial(step))
        pending = dict(self._pending[-1])
        pending.pop(step.thread, None)
        pending.update(step.announced)
        self._steps.append(step)
        self._pending.append(pending)
        self._check_state(len(self._steps))

    def end(self) -> None:
        """An execution is over: everything on the stack still holds (points are only ever added)."""
        for index in range(1, len(self._steps) + 1):
            self._check_state(index)

    def leave(self, frame: Frame) -> None:
        left = frame.backtrack & ~frame.done
        if left:
            raise InternalError(f"postcondition: state {frame.index} is left with threads {list(threads_in(left))} not tried")
        if frame.exceeded and frame.conservative & ~frame.done:
            raise InternalError(f"postcondition: state {frame.index} is left with conservative points although the bound was exceeded")
        if self._steps and frame.index == len(self._steps):
            self._steps.pop()
            self._pending.pop()

    def _initial(self, step: Step) -> dict[int, Operation]:
        """Before the first step nothing else was announced than what the history was begun with."""
        history = self._tree.history
        created = {thread for thread, _ in step.announced if thread != step.thread}
        pending = {thread: op for thread in history.threads if thread not in created and (op := history.operation(thread)) is not None}
        return pending | {step.thread: step.operation}

    def _check_state(self, index: int) -> None:
        """At the state before step `index`: for each thread and each other thread, the last step its operation depends on."""
        for thread, operation in self._pending[index].items():
            for racing in self._racing(index, thread, operation):
                self._check_point(self._moved(racing, operation), thread, index)

    def _racing(self, index: int, thread: int, operation: Operation) -> list[int]:
        found: dict[int, int] = {}
        for position in range(index - 1, -1, -1):
            step = self._steps[position]
            if step.thread != thread and step.thread not in found and _depends(step, operation):
                found[step.thread] = position
        past = self._past_of(index, thread)
        if self._tree.options.transitive_reduction:
            return [racing for racing in found.values() if racing not in past and not self._covered(racing, found)]
        return [racing for racing in found.values() if self._exists(thread, racing)]

    def _covered(self, racing: int, found: dict[int, int]) -> bool:
        return any(other > racing and racing in self._causes(other) for other in found.values())

    def _exists(self, thread: int, index: int) -> bool:
        return thread in self._pending[index]

    def _past_of(self, index: int, thread: int) -> set[int]:
        """Everything that happens before what `thread` does next, apart from its own races."""
        for position in range(index - 1, -1, -1):
            step = self._steps[position]
            if step.thread == thread or any(created == thread for created, _ in step.announced):
                return self._causes(position) | {position}
        return set()

    def _causes(self, index: int) -> set[int]:
        """The steps that happen before step `index`, by transitive closure over direct edges."""
        causes: set[int] = set()
        relevant = {index}
        for position in range(index - 1, -1, -1):
            if any(self._edge(position, later) for later in relevant):
                relevant.add(position)
                causes.add(position)
        return causes

    def _edge(self, early: int, late: int) -> bool:
        a, b = self._steps[early], self._steps[late]
        if a.thread == b.thread or b.ends_process or conflict(a.footprint, b.footprint):
            return True
        if b.operation.target == a.thread and not (b.failed or b.timed_out):
            return True
        return any(created == b.thread for created, _ in a.announced)

    def _moved(self, index: int, operation: Operation) -> int:
        """The release optimisation: a race with an unlock is a race with the acquisition."""
        tree = self._tree
        moves = tree.rule.release_optimisation and tree.options.release_optimisation
        return tree.history.locks.moved(index, operation) if moves else index

    def _check_point(self, index: int, thread: int, state: int) -> None:
        tree = self._tree
        frame = tree.frames[index]
        if not _has_point(frame, frame.backtrack, thread):
            raise InternalError(f"postcondition: step {index} races with thread {thread} at state {state} and has no point for it")
        block = tree.frames[frame.block]
        if tree.rule.limits.preemption is not None and not _has_point(block, block.backtrack | block.conservative, thread):
            raise InternalError(f"postcondition: the block of step {index} has no point for thread {thread}, which races at state {state}")


def _depends(step: Step, operation: Operation) -> bool:
    return step.ends_process or operation.kind.ends or step.operation.kind.ends or conflict(step.footprint, operation.footprint)


def _has_point(frame: Frame, points: int, thread: int) -> bool:
    bit = 1 << thread
    if frame.enabled & bit and not frame.fair_blocked & bit:
        return bool(points & bit)
    return points & frame.enabled == frame.enabled
