"""Read-write locks, no preference for writers who wait (enabledness is a function of executed steps). State: (writer or None, readers).

Readers read the lock's object, writers write it. A failed trywrlock or timed wrlock stays a write: readers, who only read the object,
change its result (erratum E23).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from bpor.protocol.ops import Op
from bpor.simulate.action import SYNC, Action, Effect, Misuse, Timed, object_id, reads, writes

if TYPE_CHECKING:
    from bpor.simulate.world import World

Holders = tuple[int | None, tuple[int, ...]]  # readers sorted; one that holds it twice stands there twice
_FREE: Holders = (None, ())


def holders(world: World, rwlock: int) -> Holders:
    state = world.objects.get(rwlock, _FREE)
    assert isinstance(state, tuple)
    return state


class ReadLock(Timed):
    kind = Op.RWLOCK_RDLOCK

    def __init__(self, name: str, timed: bool = False, trying: bool = False) -> None:
        self.rwlock = object_id(SYNC, name)
        self.footprint = reads(self.rwlock)
        self.timed, self.trying = timed, trying
        if trying:
            self.kind = Op.RWLOCK_TRYRDLOCK

    def ready(self, world: World, thread: int) -> bool:
        return self.trying or holders(world, self.rwlock)[0] is None

    def run(self, world: World, thread: int) -> Effect:
        writer, readers = holders(world, self.rwlock)
        if writer is not None:
            return Effect(False, self.footprint, failed=True)
        world.objects[self.rwlock] = (None, tuple(sorted((*readers, thread))))
        return Effect(True, self.footprint)

    def expire(self, world: World, thread: int) -> Effect:
        return Effect(False, self.footprint, failed=True, timed_out=True, yields=True)


class WriteLock(Timed):
    kind = Op.RWLOCK_WRLOCK

    def __init__(self, name: str, timed: bool = False, trying: bool = False) -> None:
        self.rwlock = object_id(SYNC, name)
        self.footprint = writes(self.rwlock)
        self.timed, self.trying = timed, trying
        if trying:
            self.kind = Op.RWLOCK_TRYWRLOCK

    def ready(self, world: World, thread: int) -> bool:
        return self.trying or holders(world, self.rwlock) == _FREE

    def run(self, world: World, thread: int) -> Effect:
        if holders(world, self.rwlock) != _FREE:
            return Effect(False, self.footprint, failed=True)
        world.objects[self.rwlock] = (thread, ())
        return Effect(True, self.footprint)

    def expire(self, world: World, thread: int) -> Effect:
        return Effect(False, self.footprint, failed=True, timed_out=True, yields=True)


class ReadWriteUnlock(Action):
    kind = Op.RWLOCK_UNLOCK

    def __init__(self, name: str, write: bool) -> None:
        self.rwlock, self.write = object_id(SYNC, name), write
        self.footprint = (writes if write else reads)(self.rwlock)

    def run(self, world: World, thread: int) -> Effect:
        writer, readers = holders(world, self.rwlock)
        if (writer != thread) if self.write else (thread not in readers):
            raise Misuse("unlock of a read-write lock that the thread does not hold")
        remaining = list(readers)
        if not self.write:
            remaining.remove(thread)
        world.objects[self.rwlock] = (None, tuple(remaining))
        return Effect(None, self.footprint)


def rdlock(name: str = "l") -> Action:
    return ReadLock(name)


def wrlock(name: str = "l") -> Action:
    return WriteLock(name)


def timedrdlock(name: str = "l") -> Action:
    return ReadLock(name, timed=True)


def timedwrlock(name: str = "l") -> Action:
    return WriteLock(name, timed=True)


def tryrdlock(name: str = "l") -> Action:
    return ReadLock(name, trying=True)


def trywrlock(name: str = "l") -> Action:
    return WriteLock(name, trying=True)


def rdunlock(name: str = "l") -> Action:
    return ReadWriteUnlock(name, write=False)


def wrunlock(name: str = "l") -> Action:
    return ReadWriteUnlock(name, write=True)
