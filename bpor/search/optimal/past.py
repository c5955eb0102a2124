"""Past: the steps of one execution by what they touch, so that those an operation depends on are found without looking at the others."""

from __future__ import annotations

import heapq
from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence

from bpor.model.step import Step
from bpor.search.engine.cells import Cell, Touches

_Indices = list[int]  # of steps, in order


class Past:
    def __init__(self, steps: Sequence[Step], touches: Sequence[Touches]) -> None:
        self._accesses: dict[Cell, dict[int, _Indices]] = {}  # of each thread
        self._writes: dict[Cell, dict[int, _Indices]] = {}
        self._all: dict[int, _Indices] = {}
        self._ends: dict[int, _Indices] = {}  # of the process: they depend on everything
        for index, step in enumerate(steps):
            self._all.setdefault(step.thread, []).append(index)
            if step.ends_process or step.operation.kind.ends:
                self._ends.setdefault(step.thread, []).append(index)
            for cell, write in touches[index].pairs:
                for table in (self._accesses, self._writes) if write else (self._accesses,):
                    of_thread = table.setdefault(cell, {}).setdefault(step.thread, [])
                    if not of_thread or of_thread[-1] != index:
                        of_thread.append(index)

    def latest_first(self, touches: Touches, ends: bool, before: int, hidden: Callable[[int], bool]) -> Iterator[int]:
        """The steps before one index that such an operation depends on. A hidden step hides all earlier ones of its thread."""
        heap = [(-steps[last], last, steps) for steps in self._lists(touches, ends) if (last := bisect_left(steps, before) - 1) >= 0]
        heapq.heapify(heap)
        previous = before
        while heap:
            index, position, steps = -heap[0][0], heap[0][1], heap[0][2]
            if index != previous and hidden(index):
                heapq.heappop(heap)
                continue
            if index != previous:
                yield index
                previous = index
            if position:
                heapq.heapreplace(heap, (-steps[position - 1], position - 1, steps))
            else:
                heapq.heappop(heap)

    def between(self, touches: Touches, ends: bool, first: int, before: int) -> list[int]:
        """The steps from one index to another that such an operation depends on, in order."""
        lists = self._lists(touches, ends)
        return sorted({index for steps in lists for index in steps[bisect_left(steps, first) : bisect_left(steps, before)]})

    def _lists(self, touches: Touches, ends: bool) -> list[_Indices]:
        if ends:
            return list(self._all.values())
        tables = [(self._accesses if write else self._writes).get(near, {}) for cell, write in touches.pairs for near in cell.near]
        return [steps for table in (*tables, self._ends) for steps in table.values()]
