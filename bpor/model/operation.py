"""Operation: what a thread *will* do next. ObjectAccess: one object it touches.

Invariant: dependence is decided here, in `conflict`, and nowhere else; nobody looks at kinds to decide it.
"""

from __future__ import annotations

from typing import NamedTuple

from bpor.lazy_dataclass import dataclass
from bpor.protocol.ops import Op


class ObjectAccess(NamedTuple):
    """A byte range [object, object + size); what is not memory has size 1, unless all that lies in a block or on a stack is meant."""

    object: int
    write: bool
    size: int = 1

    def overlaps(self, other: ObjectAccess) -> bool:
        return self.object < other.object + other.size and other.object < self.object + self.size


Footprint = tuple[ObjectAccess, ...]

VOLATILE = 7  # Operation.order: the program does the access itself, so what it writes is not known
ORDERS = {1: "relaxed", 2: "consume", 3: "acquire", 4: "release", 5: "acq_rel", 6: "seq_cst", VOLATILE: "unordered"}
SEQ_CST = 6
ATOMIC = frozenset({Op.READ, Op.WRITE, Op.RMW, Op.CAS})  # what weak memory offers alternatives for


@dataclass(frozen=True, slots=True)
class Operation:
    """Every unfinished thread has exactly one, blocked threads included. `footprint` is the pending one."""

    kind: Op
    footprint: Footprint = ()
    target: int | None = None  # the thread joined
    site: int = 0  # return address of the call (0 in simulated programs)
    order: int = 0  # of an atomic access: C11's memory order plus 1; VOLATILE; 0 for everything else
    timed: bool = False  # it may end by a timeout, in an idle state
    stack: tuple[int, ...] = ()  # return addresses, innermost first, where the search asked for them (TargetOptions.stacks)
    failure: int = 0  # as `order`, of a compare-exchange that fails


def conflict(a: Footprint, b: Footprint) -> bool:
    """Do two footprints of different threads share an object, one of them writing it?"""
    return any((x.write or y.write) and x.overlaps(y) for x in a for y in b)


def dependent(a_kind: Op, a: Footprint, b_kind: Op, b: Footprint) -> bool:
    """Dependence of two operations or steps of *different* threads. The end of the process depends on everything."""
    return a_kind.ends or b_kind.ends or conflict(a, b)
