"""Which timeouts of idle states could come first, and make a difference (erratum E22).

A timeout comes only where nobody else can run. So a step e, and what it waits for, comes before every later timeout; a step e' that needs
such a timeout comes before e only if that timeout comes before one of those that e needs. That is a race as well: between two timeouts, on
behalf of e and e'. It is reversed in the idle state of the first one, by trying the second one there. Timeouts without such a race are not
tried in another order.
Invariant: happens-before is that of the trace; that an idle state comes after everything before it is no part of it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from bpor.lazy_dataclass import dataclass
from bpor.model.step import Step
from bpor.protocol.ops import Op
from bpor.search.engine.cells import Touches
from bpor.search.engine.clock import Clock, guards_with, join
from bpor.search.engine.history import History
from bpor.search.optimal.past import Past
from bpor.search.optimal.reach import could_run
from bpor.search.optimal.second import Second
from bpor.search.optimal.span import is_in_vain

_READ_IN_VAIN = frozenset({Op.SEM_TIMEDWAIT, Op.MUTEX_TIMEDLOCK})


@dataclass(frozen=True, slots=True)
class Sooner:
    """In the idle state before step `index` the timeout of `thread` may come first."""

    index: int
    thread: int


class Timeouts:
    """Of one execution."""

    def __init__(self, history: History, steps: Sequence[Step], past: Past) -> None:
        self._knows, self._clocks = history.knows, history.clocks
        self._guards = guards_with(max(history.threads, default=0))
        self._cells = history.cells
        self._steps = steps
        self._past = past
        self.indices = [index for index, step in enumerate(steps) if step.timed >> step.thread & 1]

    def of(self, second: Second) -> Iterator[Sooner]:
        """Those that have to come sooner for the second to come before something else; it may be one of them itself."""
        if not self.indices:
            return
        made = second.index < len(self._steps)
        touches = self._cells.resolve(self._steps[second.index].footprint) if made else second.touches
        yield from self._sooner(second, touches, False)
        if any(self._waits(second, idle) for idle in self.indices):
            yield from self._sooner(second, self._touches_in_vain(second), True)

    def _waits(self, second: Second, idle: int) -> bool:
        """Could its time have been up in that state?"""
        return second.since <= idle and bool(self._steps[idle].timed >> second.thread & 1)

    def _touches_in_vain(self, second: Second) -> Touches:
        """What it touches if its time is up."""
        if second.index < len(self._steps) and self._steps[second.index].timed_out:
            return self._cells.resolve(self._steps[second.index].footprint)
        reads = second.operation.kind in _READ_IN_VAIN
        footprint = second.operation.footprint
        return self._cells.resolve(tuple(access._replace(write=False) for access in footprint) if reads else footprint)

    def _sooner(self, second: Second, touches: Touches, times_out: bool) -> Iterator[Sooner]:
        depends = self._past.between(touches, second.ends, 0, second.index)
        for first in self._concurrent(second, touches):
            if not times_out and not self._may_run_without(second, first):
                continue
            reversed_already: list[int] = []
            for idle in self._needed_by(first):
                if any(self._knows(self._clocks[later], idle) for later in reversed_already):
                    continue
                dropped = idle if times_out else first
                past = self._past_without(dropped, depends, second.clock)
                needed = (each for each in self.indices if idle < each < second.index and self._knows(past, each))
                sooner = next((each for each in needed if not self._knows(self._clocks[each], idle)), None)
                if sooner is None and not (times_out and self._waits(second, idle)):
                    continue
                reversed_already.append(idle)
                yield Sooner(idle, second.thread if sooner is None else self._steps[sooner].thread)

    def _past_without(self, dropped: int, depends: list[int], clock: Clock) -> Clock:
        """What happens before something that follows these steps, where one of them is not made."""
        for each in depends:
            if not self._knows(self._clocks[each], dropped):
                clock = join(clock, self._clocks[each], self._guards)
        return clock

    def _concurrent(self, second: Second, touches: Touches) -> Iterator[int]:
        """The steps that the second depends on and that its thread did not know of before."""

        def hidden(index: int) -> bool:
            return self._steps[index].thread == second.thread or self._knows(second.clock, index)

        return self._past.latest_first(touches, second.ends, second.index, hidden)

    def _needed_by(self, index: int) -> Iterator[int]:
        """The timeouts that a step happens after, or is, the latest first."""
        return (idle for idle in reversed(self.indices) if idle <= index and self._knows(self._clocks[index], idle))

    def _may_run_without(self, second: Second, index: int) -> bool:
        """False: its thread certainly waits where that step was not made."""
        operation = second.operation
        if not operation.kind.blocks:
            return True
        depends = self._past.between(self._cells.resolve(operation.footprint), second.ends, 0, second.index)
        kept = [each for each in depends if not self._knows(self._clocks[each], index)]
        if all(is_in_vain(self._steps[each]) for each in depends if each not in kept):
            return second.index < len(self._steps)
        return could_run(operation, (self._steps[each] for each in reversed(kept))) is not False
