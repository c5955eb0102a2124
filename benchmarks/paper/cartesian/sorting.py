"""CMIS (Figure 9 of the Cartesian paper): merge sort whose halves are sorted at the same time, by insertion sort where they are short.

Nobody touches a cell while somebody else may, so what each thread does is fixed: its transitions are those of a run of the listing,
recorded, and a state is how far each has come and which requests were made. The text leaves open how a thread is asked to sort and says
that it is done: here a flag each, on which the other one spins; and how the statements are divided into transitions: here one for every
access of the array, and one for every other statement of a loop. Threads beyond those that sort wait for a request that never comes: the
published transitions are seven for each state.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, NamedTuple, cast

from benchmarks.paper.cartesian.system import NOTHING, Location, State, Transition

THREADS = 7


class Act(NamedTuple):
    kind: Literal["local", "read", "write", "ask", "wait"]
    location: Location = None


LOCAL = Act("local")


class _Recorder:
    """Runs the listing once and notes what each thread does."""

    def __init__(self, cut: int, array: list[int]) -> None:
        self.cut = cut
        self.array = array
        self.draft = [0] * len(array)
        self.threads: list[list[Act]] = []
        self._flags = 0
        self.threads.append([])
        self._sort(0, 0, len(array) - 1)
        assert self.array == sorted(self.array)

    def _sort(self, thread: int, p: int, r: int) -> None:
        acts = self.threads[thread]
        acts.append(LOCAL)
        if r - p + 1 <= self.cut:
            acts += self._insert(p, r)
            return
        q = (p + r) // 2
        child, flag = len(self.threads), self._flags
        self._flags += 2
        self.threads.append([Act("wait", flag)])
        acts += [LOCAL, Act("ask", flag)]
        self._sort(thread, q + 1, r)
        self._sort(child, p, q)
        self.threads[child].append(Act("ask", flag + 1))
        acts.append(Act("wait", flag + 1))
        acts += self._merge(p, q, r)

    def _insert(self, p: int, r: int) -> Iterator[Act]:
        for j in range(p + 1, r + 1):
            key, i = self.array[j], j - 1
            yield Act("read", ("A", j))
            while i > p - 1 and self.array[i] > key:
                yield from (Act("read", ("A", i)), Act("read", ("A", i)), Act("write", ("A", i + 1)), LOCAL)
                self.array[i + 1] = self.array[i]
                i -= 1
            self.array[i + 1] = key
            yield Act("write", ("A", i + 1))

    def _merge(self, p: int, q: int, r: int) -> Iterator[Act]:
        for i in range(p, r + 1):
            self.draft[i] = self.array[i]
            yield from (Act("read", ("A", i)), Act("write", ("draft", i)))
        i, j, k = p, q + 1, p
        while i <= q and j <= r:
            yield from (Act("read", ("draft", i)), Act("read", ("draft", j)), Act("write", ("A", k)))
            if self.draft[i] <= self.draft[j]:
                self.array[k], i = self.draft[i], i + 1
            else:
                self.array[k], j = self.draft[j], j + 1
            k += 1
        while i <= q:
            yield from (Act("read", ("draft", i)), Act("write", ("A", k)))
            self.array[k], i, k = self.draft[i], i + 1, k + 1


@dataclass(frozen=True)
class Sorting:
    cut: int  # C: from this length on, insertion sort
    length: int  # N: descending at first
    threads = THREADS

    @property
    def name(self) -> str:
        return f"CMIS C={self.cut} N={self.length}"

    @property
    def initial(self) -> State:
        return State(NOTHING, (0,) * THREADS)

    @cached_property
    def _acts(self) -> list[list[Act]]:
        found = _Recorder(self.cut, list(range(self.length, 0, -1))).threads
        return found + [[Act("wait", f"nothing for {thread}")] for thread in range(len(found), THREADS)]

    def step(self, thread: int, state: State) -> Transition:
        place, acts = cast(int, state.local[thread]), self._acts[thread]
        if place == len(acts):
            return Transition(state)
        kind, location = acts[place]
        shared = cast(frozenset[Location], state.shared)
        touched = frozenset([location])
        if kind == "wait" and location not in shared:
            return Transition(state, touched)
        asked = shared | touched if kind == "ask" else shared
        after = state.then(asked, thread, place + 1)
        if kind == "local":
            return Transition(after)
        return Transition(after, writes=touched) if kind in ("write", "ask") else Transition(after, touched)
