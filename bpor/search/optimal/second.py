"""Second: the second step of a race, made or still to be made when the execution ended."""

from __future__ import annotations

from bpor.lazy_dataclass import dataclass
from bpor.model.operation import Operation
from bpor.search.engine.cells import Touches
from bpor.search.engine.clock import Clock


@dataclass(frozen=True, slots=True)
class Second:
    index: int  # of the step; the length of the execution if it was not made
    thread: int
    operation: Operation
    touches: Touches  # as decides what it races with
    ends: bool
    clock: Clock  # of what the thread did before
    since: int  # the operation is pending from this state on
