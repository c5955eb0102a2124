"""States: all of them, found by the exclusive or of their events' hashes and compared in full.

Two facts spread over the edges. Costs forwards: a cheaper way to a state makes the states beyond it cheaper, and may bring a thread within
the bound that was not. Marks backwards (Mark of Musuvathi and Qadeer 2007, Alg. 2): a state is marked iff every step within the bound
leads to a marked state. Invariant: an unmarked state has a step within the bound that was not tried or leads to an unmarked state, and a
terminal state is marked once it was reached, so that no execution arrives at one twice.
"""

from __future__ import annotations

from collections.abc import Iterator

from bpor.model.step import Step
from bpor.search.cb_por.state import CbPorState


class States:
    def __init__(self, bound: int | None) -> None:
        self._bound = bound
        self._by_hash: dict[int, list[CbPorState]] = {}
        self.count = 0
        self.collisions = 0  # different graphs with one hash

    def __iter__(self) -> Iterator[CbPorState]:
        for bucket in self._by_hash.values():
            yield from bucket

    def saved(self) -> tuple[dict[int, list[CbPorState]], int, int]:
        """For a later process (search/snapshot.py)."""
        return self._by_hash, self.count, self.collisions

    def load(self, saved: tuple[dict[int, list[CbPorState]], int, int]) -> None:
        self._by_hash, self.count, self.collisions = saved

    def find(self, key: int, last: frozenset[int]) -> CbPorState | None:
        return next((state for state in self._by_hash.get(key, ()) if state.last == last), None)

    def add(self, key: int, last: frozenset[int], enabled: int, timed: int) -> CbPorState:
        state = CbPorState(last, enabled, timed)
        bucket = self._by_hash.setdefault(key, [])
        self.collisions += bool(bucket)
        self.count += 1
        bucket.append(state)
        return state

    def connect(self, origin: CbPorState, step: Step, target: CbPorState) -> None:
        """`step` leads from one to the other."""
        if step.thread in origin.edges:
            return
        origin.edges[step.thread] = step, target
        target.arrivals.append(origin)
        self._spread(origin, step.thread)

    def _spread(self, origin: CbPorState, thread: int) -> None:
        """The price of one edge may have fallen: the costs behind it follow."""
        falling = [(origin, thread)]
        while falling:
            state, thread = falling.pop()
            step, target = state.edges[thread]
            price = state.price(thread)
            if self._bound is not None and price > self._bound:
                continue
            if target.cost.get(thread, price + 1) <= price:
                continue
            before = set(target.within(self._bound)) if target.cost else set()
            target.cost[thread] = price
            if step.cuts or step.yields:
                target.cuts |= 1 << thread
            if target.marked and set(target.within(self._bound)) - before:
                self.consider(target)
            falling += [(target, each) for each in target.edges]

    def consider(self, state: CbPorState) -> None:
        """Marks a state if everything beyond it is, unmarks it if not, and then the states before it."""
        waiting = [state]
        while waiting:
            state = waiting.pop()
            within = state.within(self._bound)
            done = all(thread in state.edges and state.edges[thread][1].marked for thread in within)
            if done != state.marked:
                state.marked = done
                waiting += state.arrivals
