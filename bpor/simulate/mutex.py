"""Normal mutexes: a second lock by the owner blocks for ever, an unlock by anybody else is misuse. State: the owner, or absent."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bpor.protocol.ops import Op
from bpor.simulate.action import SYNC, Action, Effect, Misuse, Timed, object_id, reads, writes

if TYPE_CHECKING:
    from bpor.simulate.world import World


def release(world: World, thread: int, mutex: int) -> None:
    """Unlock, for `unlock` and for a condition wait."""
    if world.objects.get(mutex) != thread:
        raise Misuse("unlock of a mutex that the thread does not hold")
    del world.objects[mutex]


class Lock(Timed):
    """Observes True if it got the mutex."""

    kind = Op.MUTEX_LOCK

    def __init__(self, name: str, timed: bool = False) -> None:
        self.mutex = object_id(SYNC, name)
        self.footprint = writes(self.mutex)
        self.timed = timed
        if timed:
            self.kind = Op.MUTEX_TIMEDLOCK

    def ready(self, world: World, thread: int) -> bool:
        return self.mutex not in world.objects

    def run(self, world: World, thread: int) -> Effect:
        world.objects[self.mutex] = thread
        return Effect(True, self.footprint)

    def expire(self, world: World, thread: int) -> Effect:
        return Effect(False, reads(self.mutex), failed=True, timed_out=True, yields=True)


class TryLock(Action):
    """Observes True if it got the mutex. A failed one was a read: only writes of the mutex could have changed its result."""

    kind = Op.MUTEX_TRYLOCK

    def __init__(self, name: str) -> None:
        self.mutex = object_id(SYNC, name)
        self.footprint = writes(self.mutex)

    def run(self, world: World, thread: int) -> Effect:
        if self.mutex in world.objects:
            return Effect(False, reads(self.mutex), failed=True)
        world.objects[self.mutex] = thread
        return Effect(True, self.footprint)


class Unlock(Action):
    kind = Op.MUTEX_UNLOCK

    def __init__(self, name: str) -> None:
        self.mutex = object_id(SYNC, name)
        self.footprint = writes(self.mutex)

    def run(self, world: World, thread: int) -> Effect:
        release(world, thread, self.mutex)
        return Effect(None, self.footprint)


def lock(name: str = "m") -> Action:
    return Lock(name)


def timedlock(name: str = "m") -> Action:
    return Lock(name, timed=True)


def trylock(name: str = "m") -> Action:
    return TryLock(name)


def unlock(name: str = "m") -> Action:
    return Unlock(name)
