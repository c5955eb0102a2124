"""Transition systems as the Cartesian paper defines them, and the search without reduction.

A state is what is shared and one local state per thread. Every thread has one transition in every state: one that waits goes round in its
state, and so does one that has ended. Where the paper counts no transitions of ended threads (file system, indexer) they have none here.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import NamedTuple, Protocol

Location = Hashable
NOTHING: frozenset[Location] = frozenset()


class State(NamedTuple):
    shared: Hashable
    local: tuple[Hashable, ...]

    def then(self, shared: Hashable, thread: int, local: Hashable) -> State:
        return State(shared, (*self.local[:thread], local, *self.local[thread + 1 :]))


class Transition(NamedTuple):
    after: State
    reads: frozenset[Location] = NOTHING
    writes: frozenset[Location] = NOTHING

    def conflicts(self, other: Transition) -> bool:
        return not (self.writes.isdisjoint(other.writes) and self.writes.isdisjoint(other.reads) and self.reads.isdisjoint(other.writes))


class System(Protocol):
    @property
    def name(self) -> str: ...

    @property
    def threads(self) -> int: ...

    @property
    def initial(self) -> State: ...

    def step(self, thread: int, state: State) -> Transition | None:
        """None: the thread has ended, and its end is no transition."""
        ...


class Size(NamedTuple):
    states: int
    transitions: int


def without_reduction(system: System, max_states: int) -> Size | None:
    """None: there are more states than that."""
    known, waiting, transitions = {system.initial}, [system.initial], 0
    threads, step = range(system.threads), system.step
    while waiting:
        state = waiting.pop()
        for thread in threads:
            taken = step(thread, state)
            if taken is None:
                continue
            transitions += 1
            if taken.after not in known:
                if len(known) >= max_states:
                    return None
                known.add(taken.after)
                waiting.append(taken.after)
    return Size(len(known), transitions)
