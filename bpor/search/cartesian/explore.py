"""Cartesian search over a space whose states are values, as published (Gueta et al. 2007, Fig. 7), with deadlocks (erratum E17).

The published search keeps local states only: a thread that runs to its end unnoticed is not advanced, so a state in which all others
wait is never seen. `deadlocks` pushes one state more, after all such ends together (they commute). `concurrent` makes together what
nobody notices (together.py).
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Generic, Protocol, TypeVar

from bpor.lazy_dataclass import dataclass, field
from bpor.model.solo import Solo, SoloFuture
from bpor.search.cartesian.together import Moves, unnoticed
from bpor.search.cartesian.vector import Prefix, cartesian_vector

S = TypeVar("S")


class Space(Protocol[S]):
    def initial(self) -> S: ...

    def key(self, state: S) -> Hashable: ...

    def threads(self, state: S) -> list[int]:
        """Those that have not ended."""
        ...

    def alone(self, state: S, thread: int) -> Solo: ...

    def future(self, state: S, thread: int) -> SoloFuture:
        """As far as `alone` and `key` have seen, in whatever state."""
        ...

    def after(self, state: S, thread: int, moves: int) -> S:
        """The state after some moves of one thread."""
        ...

    def is_deadlock(self, state: S) -> bool: ...


@dataclass(slots=True)
class ExploredPrefixes(Generic[S]):
    states: int = 0
    transitions: int = 0
    deadlocks: list[S] = field(default_factory=list)
    finished: bool = True
    repaired: int = 0  # states in which moves were made together that somebody noticed after all


@dataclass(frozen=True, slots=True)
class _Looked(Generic[S]):
    """A state after which moves were made together, and what it took to decide so."""

    state: S
    solos: dict[int, Solo]
    vector: dict[int, Prefix]
    moves: Moves


def explore(space: Space[S], deadlocks: bool = True, concurrent: bool = False, max_states: int = 100_000) -> ExploredPrefixes[S]:
    search = _Search(space, deadlocks, concurrent, max_states)
    search.run()
    while search.repair():
        search.run()
    return search.found


class _Search(Generic[S]):
    def __init__(self, space: Space[S], deadlocks: bool, concurrent: bool, max_states: int) -> None:
        self.space = space
        self.found: ExploredPrefixes[S] = ExploredPrefixes()
        self._deadlocks = deadlocks
        self._concurrent = concurrent
        self._max_states = max_states
        self._waiting = [space.initial()]
        self._covered: set[Hashable] = set()
        self._together: list[_Looked[S]] = []

    def run(self) -> None:
        while self._waiting:
            state = self._waiting.pop()
            key = self.space.key(state)
            if key in self._covered:
                continue
            if self.found.states >= self._max_states:
                self.found.finished = False
                self._waiting.clear()
                return
            self._covered.add(key)
            self.found.states += 1
            if self.space.is_deadlock(state):
                self.found.deadlocks.append(state)
            else:
                self._expand(state)

    def repair(self) -> bool:
        """Looks again at the states whose moves together rest on what is known by now to be wrong; False: there are none."""
        looked, self._together = self._together, []
        for each in looked:
            if self.found.finished and unnoticed(each.solos, each.moves, self._futures(each.state)) != each.moves:
                self.found.repaired += 1
                self._follow(each.state, each.solos, each.vector)
            else:
                self._together.append(each)
        return bool(self._waiting)

    def _expand(self, state: S) -> None:
        solos = {thread: self.space.alone(state, thread) for thread in self.space.threads(state)}
        vector = cartesian_vector(solos)
        self.found.transitions += sum(prefix.length for prefix in vector.values())
        self._follow(state, solos, vector)

    def _follow(self, state: S, solos: dict[int, Solo], vector: dict[int, Prefix]) -> None:
        if self._concurrent:
            lengths = {thread: prefix.length for thread, prefix in vector.items()}
            moves = unnoticed(solos, lengths, self._futures(state))
            following = self._after(state, moves)
            # One that is known would close a circle, on which the others might be put off for ever.
            if moves and self.space.key(following) not in self._covered:
                self._together.append(_Looked(state, solos, vector, moves))
                self._waiting.append(following)
                return
        self._waiting += self._apart(state, vector)

    def _apart(self, state: S, vector: dict[int, Prefix]) -> list[S]:
        """The last state of every finite prefix; with `deadlocks` the one after every thread that ends unnoticed has ended, too."""
        finite = {thread: prefix.length for thread, prefix in vector.items() if prefix.length and not prefix.infinite}
        ending = {thread: prefix.length for thread, prefix in vector.items() if prefix.ended and prefix.infinite and prefix.length}
        following = [self.space.after(state, thread, length) for thread, length in finite.items()]
        return [*following, self._after(state, ending)] if self._deadlocks and ending else following

    def _after(self, state: S, moves: Moves) -> S:
        for thread, count in moves.items():
            state = self.space.after(state, thread, count)
        return state

    def _futures(self, state: S) -> dict[int, SoloFuture]:
        return {thread: self.space.future(state, thread) for thread in self.space.threads(state)}
