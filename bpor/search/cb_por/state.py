"""CbPorState: a happens-before graph that executions have been to, its edges, and the fewest preemptions it takes to get there.

`cost[t]`: over all ways found to get here with a step of thread t as the last one, the fewest preemptions. (The published algorithm
computes this backwards over maximal events; that asks who was enabled in states no execution has been to, so we spread costs forwards.)
Threads are members of the crew; sets of threads are masks.
"""

from __future__ import annotations

from bpor.model.policy import threads_in
from bpor.model.step import Step

Edge = tuple[Step, "CbPorState"]


class CbPorState:
    __slots__ = ("arrivals", "cost", "cuts", "edges", "enabled", "last", "marked", "timed")

    def __init__(self, last: frozenset[int], enabled: int, timed: int) -> None:
        self.last = last  # the last event of every thread: what the state is
        self.enabled = enabled
        self.timed = timed
        self.cost: dict[int, int] = {}
        self.cuts = 0  # threads whose last step may be left for nothing
        self.edges: dict[int, Edge] = {}
        self.arrivals: list[CbPorState] = []  # states with an edge to this one
        self.marked = False  # everything within the bound beyond it was run

    def price(self, thread: int) -> int:
        """The fewest preemptions with which `thread` can run here."""
        if not self.cost:
            return 0  # the initial state
        return min(spent + self._preempts(last, thread) for last, spent in self.cost.items())

    def _preempts(self, last: int, thread: int) -> bool:
        return last != thread and not self.timed and bool(self.enabled >> last & 1) and not self.cuts >> last & 1

    def within(self, bound: int | None) -> list[int]:
        """The threads that may run here."""
        if bound is None:
            return list(threads_in(self.enabled))
        return [thread for thread in threads_in(self.enabled) if self.price(thread) <= bound]
