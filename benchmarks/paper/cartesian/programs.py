"""The programs of Table 1. What one transition is follows the published counts: an `if` or an assertion belongs to the statement after
it, the body of a loop is one with its test, and leaving a loop is a transition of its own.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import cast

from benchmarks.paper.cartesian.system import Location, State, Transition


@cache
def _at(*locations: Location) -> frozenset[Location]:
    return frozenset(locations)


@dataclass(frozen=True, slots=True)
class SharedPointer:
    """Figure 11: each points p at a variable, adds the other one up in a counter of its own, then adds to what p points at by then."""

    rounds: int = 100
    name = "SharedPtr"
    threads = 2

    @property
    def initial(self) -> State:
        return State((3, 4, ""), ((0, 0), (0, 0)))  # x, y, p; each thread's place and counter

    def step(self, thread: int, state: State) -> Transition:
        x, y, p = cast(tuple[int, int, str], state.shared)
        place, counter = cast(tuple[int, int], state.local[thread])
        mine = "xy"[thread]
        if place == 0:
            return Transition(state.then((x, y, "yx"[thread]), thread, (1, counter)), writes=_at("p"))
        if place <= self.rounds:
            return Transition(state.then(state.shared, thread, (place + 1, counter + (x, y)[thread])), _at(mine), _at(f"c{thread}"))
        if place == self.rounds + 1:  # leaves the loop
            return Transition(state.then(state.shared, thread, (place + 1, counter)))
        if place == self.rounds + 2:
            amount = (3, 2)[thread]
            x, y = (x + amount, y) if p == "x" else (x, y + amount)
            assert min(x, y) >= 3 and max(x, y) <= 9
            return Transition(state.then((x, y, p), thread, (place + 1, counter)), _at("p", "x", "y"), _at(p))
        return Transition(state)


@dataclass(frozen=True, slots=True)
class SharedArray:
    """Figure 10: two threads fill the even and the odd cells with values that depend on a counter, then add each other's index to it."""

    cells: int = 64
    name = "SharedArray"
    threads = 2

    @property
    def initial(self) -> State:
        return State((0, 1, 1, (0,) * self.cells), (False, False))  # both indices, the counter, the array; who is over

    def step(self, thread: int, state: State) -> Transition:
        if state.local[thread]:
            return Transition(state)
        *indices, counter, array = cast(tuple[int, int, int, tuple[int, ...]], state.shared)
        index, other = indices[thread], indices[1 - thread]
        if index < self.cells:
            written = (*array[:index], counter + index, *array[index + 1 :])
            moved = (index + 2, other) if thread == 0 else (other, index + 2)
            reads, writes = _at("counter", f"index{thread}"), _at(("cell", index), f"index{thread}")
            return Transition(state.then((*moved, counter, written), thread, False), reads, writes)
        counter += 1 + other
        assert counter <= 2 * self.cells + 4
        reads, writes = _at("counter", f"index{1 - thread}"), _at("counter")
        return Transition(state.then((indices[0], indices[1], counter, array), thread, True), reads, writes)


@dataclass(frozen=True, slots=True)
class Robots:
    """Figure 1: robots that cross an arena for ever, leaving their field, moving, and taking the next one if nobody may be met there."""

    threads: int
    side: int = 12

    @property
    def name(self) -> str:
        return f"{self.threads} Robots"

    @property
    def initial(self) -> State:
        return State(frozenset(), tuple((x, 0, 1, 1, 0) for x in (0, 4, 7)[: self.threads]))  # taken fields; x, y, both directions, place

    def step(self, thread: int, state: State) -> Transition:
        x, y, dx, dy, place = cast(tuple[int, int, int, int, int], state.local[thread])
        taken = cast(frozenset[Location], state.shared)
        here = _at((x, y))
        if place == 0:
            return Transition(state.then(taken - here, thread, (x, y, dx, dy, 1)), writes=here)
        if place == 1:
            x, y, edge = x + dx, y + dy, (0, self.side - 1)
            return Transition(state.then(taken, thread, (x, y, -dx if x in edge else dx, -dy if y in edge else dy, 2)))
        assert (x, y) not in taken or x in (9, 2)
        return Transition(state.then(taken | here, thread, (x, y, dx, dy, 0)), here, here)


@dataclass(frozen=True, slots=True)
class FileSystem:
    """Flanagan and Godefroid 2005: inodes that are given disk blocks. The paper has no listing; 8 transitions per thread, and one that
    looks at a block in use and gives its lock back, have the published counts (other divisions of the text have them too)."""

    threads: int
    blocks: int = 26

    @property
    def name(self) -> str:
        return f"File System ({self.threads} Threads)"

    @property
    def initial(self) -> State:
        return State(frozenset(), ((0, 0),) * self.threads)  # locks held, blocks in use, inodes given; each thread's place and block

    def step(self, thread: int, state: State) -> Transition | None:
        place, block = cast(tuple[int, int], state.local[thread])
        shared = cast(frozenset[Location], state.shared)
        inode, inode_lock = _at(("inode", thread)), _at(("inode lock", thread))
        lock, busy = _at(("block lock", block)), _at(("busy", block))
        if place == 0:
            return Transition(state.then(shared | inode_lock, thread, (1, 0)), inode_lock, inode_lock)
        if place == 1:
            return Transition(state.then(shared, thread, (2, 0)), inode)
        if place == 2:
            return Transition(state.then(shared, thread, (3, thread * 2 % self.blocks)))
        if place == 3:
            after = state if lock <= shared else state.then(shared | lock, thread, (4, block))
            return Transition(after, lock, lock)
        if place == 4 and busy <= shared:
            return Transition(state.then(shared - lock, thread, (3, (block + 1) % self.blocks)), busy, lock)
        if place == 4:
            return Transition(state.then(shared | busy, thread, (5, block)), busy, busy)
        if place == 5:
            return Transition(state.then(shared | inode, thread, (6, block)), writes=inode)
        if place == 6:
            return Transition(state.then(shared - lock, thread, (7, 0)), writes=lock)
        if place == 7:
            return Transition(state.then(shared - inode_lock, thread, (8, 0)), writes=inode_lock)
        return None


@dataclass(frozen=True, slots=True)
class Indexer:
    """Figure 12 (Flanagan and Godefroid 2005): each thread puts its messages into a hash table; up to 11 threads never collide."""

    threads: int
    messages: int = 4
    size: int = 128

    @property
    def name(self) -> str:
        return f"Indexer ({self.threads} Threads)"

    @property
    def initial(self) -> State:
        return State((0, frozenset()), tuple((1, self._slot(1, thread)) for thread in range(self.threads)))  # slots, entries; message, slot

    def step(self, thread: int, state: State) -> Transition | None:
        message, slot = cast(tuple[int, int], state.local[thread])
        if message > self.messages:
            return None
        used, entries = cast(tuple[int, frozenset[Location]], state.shared)
        if used >> slot & 1:
            return Transition(state.then(state.shared, thread, (message, (slot + 1) % self.size)), _at(slot), _at(slot))
        after = (used | 1 << slot, entries | _at((slot, self._word(message, thread))))
        return Transition(state.then(after, thread, (message + 1, self._slot(message + 1, thread))), _at(slot), _at(slot))

    def _word(self, message: int, thread: int) -> int:
        return message * 11 + thread

    def _slot(self, message: int, thread: int) -> int:
        return self._word(message, thread) * 7 % self.size


@dataclass(frozen=True, slots=True)
class Philosophers:
    """The paper has no listing. For ever: take two forks, eat (which touches nothing shared), give them back in the order of taking; the
    first one begins with the fork at which all others end. That, and no other order we tried, has the published counts on every row."""

    threads: int

    @property
    def name(self) -> str:
        return f"{self.threads} Philosophers"

    @property
    def initial(self) -> State:
        return State(frozenset(), (0,) * self.threads)  # forks taken; each one's place

    def step(self, thread: int, state: State) -> Transition:
        place = cast(int, state.local[thread])
        taken = cast(frozenset[Location], state.shared)
        left, right = thread, (thread + 1) % self.threads
        forks = (left, right) if thread == 0 else (right, left)
        if place == 2:
            return Transition(state.then(taken, thread, 3))
        fork = _at(forks[place % 3])
        if place > 2:
            return Transition(state.then(taken - fork, thread, (place + 1) % 5), writes=fork)
        return Transition(state if fork <= taken else state.then(taken | fork, thread, place + 1), fork, fork)
