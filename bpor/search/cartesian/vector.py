"""The cartesian vector of a state: for every thread a prefix of what it does alone, such that only last operations conflict (Gueta et al.).

Built as published, one operation of each thread in turn. One that conflicts with an operation in the midst of another prefix stops its
thread before it; one that conflicts with a last operation is appended, and both threads stop there. An operation that waits is its
thread's last, and so is the end of a thread, as an operation that does nothing: without it the last real one could not lie in the midst
of the prefix.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from bpor.model.operation import conflict
from bpor.model.solo import Halt, Move, Solo, ending


@dataclass(frozen=True, slots=True)
class Prefix:
    length: int  # moves
    infinite: bool  # nothing stops the thread: it ends, or goes round for ever, without anybody noticing
    ended: bool = False  # with the thread's end


class _Growing:
    """One thread's prefix under construction."""

    def __init__(self, thread: int, solo: Solo) -> None:
        self.thread = thread
        self.solo = solo
        self.taken: list[Move] = []  # the operation that waits and the end included
        self.frozen = False
        self.conflicts = False  # the last operation does, with another one's last
        self.infinite = False
        self.ended = False

    def next(self) -> Move | None:
        """None: it goes on for ever."""
        position = len(self.taken)
        if position < len(self.solo.moves):
            return self.solo.moves[position]
        if self.solo.halt is Halt.WAITS:
            return Move(self.solo.wanted)
        return Move(ending(self.thread)) if self.solo.halt is Halt.ENDED else None

    @property
    def length(self) -> int:
        return min(len(self.taken), len(self.solo.moves))

    def prefix(self) -> Prefix:
        return Prefix(self.length, self.infinite or (self.ended and not self.conflicts), self.ended)

    def append(self, move: Move) -> None:
        at_end = len(self.taken) >= len(self.solo.moves)
        self.taken.append(move)
        self.ended = at_end and self.solo.halt is Halt.ENDED
        self.frozen = at_end or move.creates or move.ends


def cartesian_vector(solos: Mapping[int, Solo]) -> dict[int, Prefix]:
    growing = [_Growing(thread, solo) for thread, solo in sorted(solos.items())]
    while any(not each.frozen for each in growing):
        for each in growing:
            if not each.frozen:
                _extend(each, growing)
    return {each.thread: each.prefix() for each in growing}


def _extend(thread: _Growing, growing: list[_Growing]) -> None:
    move = thread.next()
    if move is None:
        thread.frozen = thread.infinite = True
        return
    meets: list[_Growing] = []
    for other in growing:
        if other is not thread:
            hit = [index for index, taken in enumerate(other.taken) if _conflict(move, taken)]
            if any(index < len(other.taken) - 1 for index in hit):
                thread.frozen = True
                return
            if hit:
                meets.append(other)
    thread.append(move)
    for each in (*meets, thread) if meets else ():
        each.frozen = each.conflicts = True


def _conflict(a: Move, b: Move) -> bool:
    return a.ends or b.ends or conflict(a.footprint, b.footprint)
