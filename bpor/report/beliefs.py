"""Stale checks: a thread read a value, another thread changed it, and the first went on as if nothing had happened.

Invariant: only values that the execution itself told are compared; a thread that looked again in between believed nothing stale.
"""

from __future__ import annotations

from bpor.lazy_dataclass import dataclass
from bpor.protocol.ops import Op
from bpor.report.finding import ObjectName, SourceStep

_READS = frozenset({Op.READ, Op.RMW, Op.CAS})
_WRITES = frozenset({Op.WRITE, Op.RMW, Op.CAS})
MOST = 3  # told in a report; the last ones are nearest to the failure


@dataclass(frozen=True, slots=True)
class Belief:
    """What `read` saw was no longer true after `changed`; `acted` is the next step of the reader's that touches the object, if any."""

    object: ObjectName
    read: SourceStep
    changed: SourceStep
    acted: SourceStep | None

    @property
    def text(self) -> str:
        believed = f"T{self.read.thread} believed {self.object.name} = {self.read.value_text} (step {self.read.index}{_at(self.read)})"
        true = f"T{self.changed.thread} made it {self.changed.value_text} (step {self.changed.index}{_at(self.changed)})"
        if self.acted is None:
            return f"{believed} and did not look again; {true}"
        what = f"wrote {self.acted.value_text}" if self.acted.value is not None else "wrote over it"
        return f"{believed} and {what} (step {self.acted.index}{_at(self.acted)}); in between {true}"


def stale_beliefs(steps: tuple[SourceStep, ...]) -> tuple[Belief, ...]:
    """Plain reads whose value another thread changed before the reader wrote the same object without looking again."""
    found: list[Belief] = []
    open_reads: dict[tuple[int, ObjectName], SourceStep] = {}
    changes: dict[tuple[int, ObjectName], SourceStep] = {}
    for step in steps:
        if not step.objects or step.value is None or step.op not in _READS | _WRITES:
            continue
        name = step.objects[0]
        mine = (step.thread, name)
        if step.op is Op.WRITE and mine in open_reads and mine in changes and not step.failed:
            found.append(Belief(name, open_reads[mine], changes[mine], step))
        open_reads.pop(mine, None)
        changes.pop(mine, None)
        if step.op in _READS:
            open_reads[mine] = step
        if step.op in _WRITES and not step.failed:
            for (thread, other), read in open_reads.items():
                if other == name and thread != step.thread and read.op is Op.READ and read.value != step.value:
                    changes[thread, other] = step
    return tuple(found[-MOST:])


def _at(step: SourceStep) -> str:
    return f", {step.site}" if step.site is not None else ""
