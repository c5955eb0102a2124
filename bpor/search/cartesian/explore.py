"""Cartesian search over a space whose states are values, as published (Gueta et al. 2007, Fig. 7), with deadlocks (erratum E17).

The published search keeps local states only: a thread that runs to its end unnoticed is not advanced, so a state in which all others
wait is never seen. `deadlocks` pushes one state more, after all such ends together (they commute).
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import Generic, Protocol, TypeVar

from bpor.model.solo import Solo
from bpor.search.cartesian.vector import Prefix, cartesian_vector

S = TypeVar("S")


class Space(Protocol[S]):
    def initial(self) -> S: ...

    def key(self, state: S) -> Hashable: ...

    def threads(self, state: S) -> list[int]:
        """Those that have not ended."""
        ...

    def alone(self, state: S, thread: int) -> Solo: ...

    def after(self, state: S, thread: int, moves: int) -> S:
        """The state after some moves of one thread."""
        ...

    def is_deadlock(self, state: S) -> bool: ...


@dataclass(slots=True)
class Explored(Generic[S]):
    states: int = 0
    transitions: int = 0
    deadlocks: list[S] = field(default_factory=list)
    finished: bool = True


def explore(space: Space[S], deadlocks: bool = True, max_states: int = 100_000) -> Explored[S]:
    found: Explored[S] = Explored()
    waiting, covered = [space.initial()], set()
    while waiting:
        state = waiting.pop()
        key = space.key(state)
        if key in covered:
            continue
        if found.states >= max_states:
            found.finished = False
            break
        covered.add(key)
        found.states += 1
        if space.is_deadlock(state):
            found.deadlocks.append(state)
            continue
        vector = cartesian_vector({thread: space.alone(state, thread) for thread in space.threads(state)})
        found.transitions += sum(prefix.length for prefix in vector.values())
        waiting += _following(space, state, vector, deadlocks)
    return found


def _following(space: Space[S], state: S, vector: dict[int, Prefix], deadlocks: bool) -> list[S]:
    """The last state of every finite prefix; with `deadlocks` the one after every thread that ends unnoticed has ended, too."""
    following = [space.after(state, thread, prefix.length) for thread, prefix in vector.items() if prefix.length and not prefix.infinite]
    ending = {thread: prefix for thread, prefix in vector.items() if prefix.ended and prefix.infinite and prefix.length}
    if deadlocks and ending:
        for thread, prefix in ending.items():
            state = space.after(state, thread, prefix.length)
        following.append(state)
    return following
