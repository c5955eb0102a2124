"""Cartesian vectors and the search over them, after Figures 6 and 7 of the Cartesian paper.

The figures leave two things open that its table decides: with these two every row of the table comes out to the last transition.

* A transition that was looked at and not taken, because it conflicts with one in the midst of another prefix, counts as a transition.
* A circle is noticed one round late: when the state that the thread comes to was met after its first transition and before its last one.
"""

from __future__ import annotations

from collections import defaultdict

from benchmarks.paper.cartesian.system import Location, Size, State, System, Transition


class Touched:
    """Which threads read and wrote what."""

    def __init__(self) -> None:
        self._readers: defaultdict[Location, set[int]] = defaultdict(set)
        self._writers: defaultdict[Location, set[int]] = defaultdict(set)

    def add(self, thread: int, transition: Transition) -> None:
        for location in transition.reads:
            self._readers[location].add(thread)
        for location in transition.writes:
            self._writers[location].add(thread)

    def drop(self, thread: int, transition: Transition) -> None:
        for location in transition.reads:
            self._readers[location].discard(thread)
        for location in transition.writes:
            self._writers[location].discard(thread)

    def in_conflict(self, thread: int, transition: Transition) -> set[int]:
        """The other threads that did what conflicts with it."""
        found: set[int] = set()
        for location in transition.reads | transition.writes:
            found |= self._writers.get(location, found)
        for location in transition.writes:
            found |= self._readers.get(location, found)
        found.discard(thread)
        return found


class Prefix:
    """What one thread does from a state on."""

    def __init__(self, first: Transition) -> None:
        self.last = first
        self.length = 1
        self.infinite = False
        self.met: set[State] = set()  # after all transitions but the last

    def extend(self, transition: Transition) -> None:
        self.met.add(self.last.after)
        self.last, self.length = transition, self.length + 1


def cartesian_vector(system: System, state: State) -> tuple[list[Prefix], int]:
    """The prefixes, and how many transitions were looked at and not taken."""
    vector = {thread: Prefix(taken) for thread in range(system.threads) if (taken := system.step(thread, state)) is not None}
    last, midst = Touched(), Touched()  # the last transitions of the prefixes, and all others
    for thread, prefix in vector.items():
        last.add(thread, prefix.last)
    extendable = [thread for thread, prefix in vector.items() if not last.in_conflict(thread, prefix.last)]
    refused = 0
    while extendable:
        stopped: set[int] = set()
        for thread in extendable:
            if thread in stopped:
                continue
            prefix = vector[thread]
            taken = system.step(thread, prefix.last.after)
            if taken is None:
                prefix.infinite = True
                stopped.add(thread)
                continue
            if midst.in_conflict(thread, taken):
                stopped.add(thread)
                refused += 1
                continue
            meets = last.in_conflict(thread, taken)
            if meets:
                stopped |= {*meets, thread}
            elif taken.after in prefix.met:
                prefix.infinite = True
                stopped.add(thread)
            last.drop(thread, prefix.last)
            midst.add(thread, prefix.last)
            last.add(thread, taken)
            prefix.extend(taken)
        extendable = [thread for thread in extendable if thread not in stopped]
    return list(vector.values()), refused


def with_reduction(system: System) -> Size:
    """Figure 7: the states that are stored, and the transitions of all vectors."""
    waiting, covered, transitions = [system.initial], set[State](), 0
    while waiting:
        state = waiting.pop()
        if state in covered:
            continue
        covered.add(state)
        vector, refused = cartesian_vector(system, state)
        transitions += refused + sum(prefix.length for prefix in vector)
        waiting += [prefix.last.after for prefix in vector if not prefix.infinite]
    return Size(len(covered), transitions)
