"""What each step of an execution had to wait for: its direct happens-before predecessors in other threads.

They become the arrows of the HTML page and the orderings of a finding. Transitive ones are left out: a step's causes are the last of the
others' steps that it depends on, unless one of them already happened before another, or before the thread's own last step.
"""

from __future__ import annotations

from bpor.lazy_dataclass import dataclass
from bpor.model.step import Step
from bpor.model.trace import Trace
from bpor.protocol.ops import Op
from bpor.search.engine.history import History


@dataclass(frozen=True, slots=True)
class Causes:
    steps: tuple[tuple[int, ...], ...]  # of each step: positions in trace.steps
    pending: dict[int, tuple[int, ...]]  # unfinished thread -> those of the operation it is stopped before


def causes_of(trace: Trace) -> Causes:
    history = History()
    history.begin(trace.initial)
    found = []
    for step in trace.steps:
        found.append(_causes(history, step.thread, step))
        history.push(step)
    pending = {thread: _causes(history, thread) for thread, state in history.threads.items() if state.operation is not None}
    return Causes(tuple(found), pending)


def _causes(history: History, thread: int, step: Step | None = None) -> tuple[int, ...]:
    """Of the operation that is pending; `step` is what became of it."""
    state = history.threads[thread]
    operation = state.operation
    assert operation is not None
    ends = step is not None and step.ends_process
    found = set(history.last_of_others(thread) if ends else history.last_dependents(thread))
    if state.last < 0 and state.created >= 0:
        found.add(state.created)
    if operation.kind is Op.JOIN and operation.target in history.threads and step is not None and not step.failed and not step.timed_out:
        found.add(history.threads[operation.target].last)
    direct = history.uncovered(thread, sorted(index for index in found if index >= 0))
    # A new thread already knows its creator: that is the one arrow the clock hides.
    return tuple(sorted({*direct, state.created} if state.last < 0 <= state.created else direct))
