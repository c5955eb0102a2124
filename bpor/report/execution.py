"""One execution as a reader sees it, failed or not: its steps with names and places, and the state before any of them.

Invariant: made from an execution run with `describe` (or a simulated one, without names); needs the program no longer.
"""

from __future__ import annotations

from bpor.lazy_dataclass import dataclass
from bpor.model.trace import Description, Trace
from bpor.protocol.ops import Op
from bpor.report.finding import ObjectName, SourceSite, SourceStep, ThreadAtEnd
from bpor.report.finding_steps import lock_changes, source_steps, thread_ends
from bpor.report.names import Names
from bpor.report.trace_columns import cell, stopped_cell


@dataclass(frozen=True, slots=True)
class Stand:
    """Where a thread stands in a state."""

    thread: int
    next: str  # what it will do; empty: nothing that others could wait for
    site: SourceSite | None
    enabled: bool
    held: tuple[str, ...]  # locks
    after: str = "has ended"  # of one without a next


@dataclass(frozen=True, slots=True)
class Execution:
    trace: Trace
    steps: tuple[SourceStep, ...]
    threads: tuple[ThreadAtEnd, ...]
    locks: tuple[tuple[tuple[ObjectName, ...], tuple[ObjectName, ...]], ...]  # taken and given back by each step

    def born(self, thread: int) -> int:
        """The index of the first state in which a thread is there."""
        return next((step.index + 1 for step in self.steps if step.op is Op.SPAWN and step.target == thread), 0)

    def state(self, index: int) -> tuple[Stand, ...]:
        """Before step `index`; the last state for the number of steps."""
        done, coming = self.steps[:index], self.steps[index:]
        enabled = self.trace.steps[index].enabled if index < len(self.steps) else self.trace.enabled
        held = self._held(index)
        stands = []
        for thread in self.threads:
            if self.born(thread.number) > len(done):
                continue
            step = next((step for step in coming if step.thread == thread.number), None)
            following = cell(step) if step is not None else stopped_cell(thread)
            site = step.site if step is not None else thread.site
            stands.append(
                Stand(
                    thread.number,
                    following,
                    site,
                    bool(enabled >> thread.number & 1),
                    held.get(thread.number, ()),
                    self.afterwards(thread.number),
                )
            )
        return tuple(stands)

    def afterwards(self, thread: int) -> str:
        """Of a thread that has nothing before it which others could wait for."""
        if any(thread in step.finished for step in self.trace.steps):
            return "has ended"
        end = self.trace.end
        return f"ends here: {end.outcome.value}" if end.outcome.is_bug and thread == end.thread else "could go on"

    def _held(self, index: int) -> dict[int, tuple[str, ...]]:
        held: dict[int, tuple[str, ...]] = {}
        for step, (taken, given) in zip(self.steps[:index], self.locks, strict=False):
            mine = tuple(name for name in held.get(step.thread, ()) if name not in {lock.name for lock in given})
            held[step.thread] = (*mine, *(lock.name for lock in taken))
        return held


def execution_of(trace: Trace, description: Description, names: Names | None = None) -> Execution:
    """`names`: of this description; given if they are to be used further."""
    names = names or Names(description)
    steps = source_steps(trace, names, described=bool(description.modules))
    locks = []
    for step in trace.steps:
        taken, given = lock_changes(step)
        position = 1 if step.operation.kind in (Op.COND_WAIT, Op.COND_WAKE) else 0
        locks.append(
            (
                tuple(names.object(identity, step.operation.kind, position) for identity in taken),
                tuple(names.object(identity, step.operation.kind, position) for identity in given),
            )
        )
    return Execution(trace, steps, thread_ends(trace, description, names, steps), tuple(locks))
