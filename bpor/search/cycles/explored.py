"""Explored: the graph that executions have shown. States are identities: equal ones go on alike.

Invariant: every edge is a step that some execution took, whatever bound it was taken under, so a livelock found here is real.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator
from functools import partial

from bpor.model.components import fair_components

_MOST_LOOKED_AT = 4096  # states


def _is_of(threads: int, state: int, thread: int | None) -> bool:
    return thread is not None and bool(threads >> thread & 1)


class Explored:
    def __init__(self, rounds_yield: bool) -> None:
        """`rounds_yield`: a thread that comes back to a state comes back to it, whether it yields on its way or not."""
        self._rounds_yield = rounds_yield
        self.enabled: dict[int, int] = {}  # mask, by state
        self.edges: dict[int, dict[int, int]] = {}  # state -> thread -> state
        self.ends_rounds: set[tuple[int | None, int]] = set()  # steps that no round contains, because they yield
        self.circular: set[tuple[int | None, int]] = set()  # (state, thread): running on alone, the thread comes back to the state

    def state(self, identity: int, enabled: int) -> None:
        self.enabled[identity] = enabled

    def step(self, before: int, thread: int, after: int, yields: bool) -> None:
        self.edges.setdefault(before, {})[thread] = after
        if yields and not self._rounds_yield:
            self.ends_rounds.add((before, thread))

    def alone(self, identity: int, thread: int) -> Iterable[int]:
        """The states that a thread passes which runs on alone, as far as it was seen, up to the first that repeats."""
        seen: set[int] = set()
        following: int | None = identity
        while following is not None and following not in seen:
            seen.add(following)
            yield following
            ends = (following, thread) in self.ends_rounds
            following = None if ends else self.edges.get(following, {}).get(thread)

    def livelocks(self) -> list[frozenset[int]]:
        """Fair(C) for every component."""
        edges = {state: tuple(steps.items()) for state, steps in self.edges.items()}
        return fair_components(self.enabled, edges, lambda state: self.enabled.get(state, 0))

    def lasso(self, component: frozenset[int], root: int) -> tuple[list[int], list[int]] | None:
        """A shortest stem that leads into a fair component, and a round there in which everybody steps who can: schedules of threads.

        None: the component was reached by executions, but its steps do not connect it (some were forgotten).
        """
        stem = self._way(root, self.enabled.keys(), lambda state, _: state in component)
        if stem is None:
            return None
        home = at = stem[1]
        wanted = 0
        for state in component:
            wanted |= self.enabled[state]
        round_: list[int] = []
        while wanted:
            way = self._way(at, component, partial(_is_of, wanted))
            if way is None:
                return None
            threads, at = way
            round_ += threads
            for thread in threads:
                wanted &= ~(1 << thread)
        back = self._way(at, component, lambda state, _: state == home)
        return None if back is None else (stem[0], round_ + back[0])

    def rounds_alone(self, root: int) -> Iterator[tuple[list[int], list[int]]]:
        """Stems, shortest first, and rounds of one thread alone: of each thread one for each length of a round. Looks at the states that
        come first: a loop is there whatever the others have done."""
        known: set[tuple[int, int]] = set()
        before: dict[int, tuple[int, int]] = {}
        waiting = deque([root])
        while waiting and len(before) < _MOST_LOOKED_AT:
            state = waiting.popleft()
            for thread, after in self.edges.get(state, {}).items():
                length = self._length_alone(state, thread)
                if length and (thread, length) not in known:
                    known.add((thread, length))
                    yield self._threads(before, root, state), [thread] * length
                if after not in before and after != root:
                    before[after] = (state, thread)
                    waiting.append(after)

    def _length_alone(self, state: int, thread: int) -> int:
        """Of the round in which a thread that runs on alone comes back to a state; 0: it does not."""
        states = list(self.alone(state, thread))
        return len(states) if self.edges.get(states[-1], {}).get(thread) == state else 0

    def _way(self, start: int, within: Collection[int], found: Callable[[int, int | None], bool]) -> tuple[list[int], int] | None:
        """A shortest schedule from a state, through states of `within`, to one that is found, and that state."""
        if found(start, None):
            return [], start
        before: dict[int, tuple[int, int]] = {}
        waiting = deque([start])
        while waiting:
            state = waiting.popleft()
            for thread, after in self.edges.get(state, {}).items():
                if after not in within:
                    continue
                if found(after, thread):
                    return [*self._threads(before, start, state), thread], after
                if after not in before and after != start:
                    before[after] = (state, thread)
                    waiting.append(after)
        return None

    @staticmethod
    def _threads(before: dict[int, tuple[int, int]], start: int, state: int) -> list[int]:
        threads: list[int] = []
        while state != start:
            state, thread = before[state]
            threads.append(thread)
        return threads[::-1]
