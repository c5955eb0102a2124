"""The cartesian vector of a state: for every thread a prefix of what it does alone, such that only last operations conflict (Gueta et al.).

Built as published, one operation of each thread in turn. One that conflicts with an operation in the midst of another prefix stops its
thread before it; one that conflicts with a last operation is appended, and both threads stop there. An operation that waits is its
thread's last, and so is the end of a thread, as an operation that does nothing: without it the last real one could not lie in the midst
of the prefix.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from bpor.lazy_dataclass import dataclass
from bpor.model.operation import Footprint, ObjectAccess, conflict
from bpor.model.solo import Halt, Solo, SoloMove, ending

_BUCKET = 6  # bits: accesses within 64 bytes of each other are looked at together
_WIDE = 64  # buckets: an access of more is looked at always


@dataclass(frozen=True, slots=True)
class Prefix:
    length: int  # moves
    infinite: bool  # nothing stops the thread: it ends, or goes round for ever, without anybody noticing
    ended: bool = False  # with the thread's end


class _Touched:
    """Accesses by where they are, so that a prefix grows in time proportional to its length."""

    def __init__(self) -> None:
        self._near: dict[int, set[ObjectAccess]] = {}
        self._wide: set[ObjectAccess] = set()

    def add(self, footprint: Footprint) -> None:
        for access in footprint:
            if access.size >> _BUCKET > _WIDE:
                self._wide.add(access)
            else:
                for bucket in _buckets(access):
                    self._near.setdefault(bucket, set()).add(access)

    def conflicts(self, footprint: Footprint) -> bool:
        return any((access.write or other.write) and access.overlaps(other) for access in footprint for other in self._candidates(access))

    def _candidates(self, access: ObjectAccess) -> Iterator[ObjectAccess]:
        yield from self._wide
        if access.size >> _BUCKET > _WIDE:
            for found in self._near.values():
                yield from found
        else:
            for bucket in _buckets(access):
                yield from self._near.get(bucket, ())


def _buckets(access: ObjectAccess) -> range:
    return range(access.object >> _BUCKET, (access.object + access.size - 1 >> _BUCKET) + 1)


class _Growing:
    """One thread's prefix under construction."""

    def __init__(self, thread: int, solo: Solo) -> None:
        self.thread = thread
        self.solo = solo
        self.taken = 0  # moves, the operation that waits and the end included
        self.last: SoloMove | None = None
        self.midst = _Touched()  # what all of them but the last touch
        self.frozen = False
        self.conflicts = False  # the last operation does, with another one's last
        self.infinite = False
        self.ended = False

    def next(self) -> SoloMove | None:
        """None: it goes on for ever."""
        if self.taken < len(self.solo.moves):
            return self.solo.moves[self.taken]
        if self.solo.halt is Halt.WAITS:
            return SoloMove(self.solo.wanted)
        return SoloMove(ending(self.thread)) if self.solo.halt is Halt.ENDED else None

    @property
    def length(self) -> int:
        return min(self.taken, len(self.solo.moves))

    def prefix(self) -> Prefix:
        return Prefix(self.length, self.infinite or (self.ended and not self.conflicts), self.ended)

    def append(self, move: SoloMove) -> None:
        at_end = self.taken >= len(self.solo.moves)
        if self.last is not None:
            self.midst.add(self.last.footprint)
        self.taken, self.last = self.taken + 1, move
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
    others = [other for other in growing if other is not thread and other.last is not None]
    if any((move.ends and other.taken > 1) or other.midst.conflicts(move.footprint) for other in others):
        thread.frozen = True
        return
    meets = [other for other in others if other.last is not None and _conflict(move, other.last)]
    thread.append(move)
    for each in (*meets, thread) if meets else ():
        each.frozen = each.conflicts = True


def _conflict(a: SoloMove, b: SoloMove) -> bool:
    return a.ends or b.ends or conflict(a.footprint, b.footprint)
