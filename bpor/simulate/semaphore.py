"""Counting semaphores; they start at 0 unless the program says otherwise. State: the count."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bpor.protocol.ops import Op
from bpor.simulate.action import SYNC, Action, Effect, Timed, object_id, reads, writes

if TYPE_CHECKING:
    from bpor.simulate.world import World


def count(world: World, semaphore: int) -> int:
    value = world.objects.get(semaphore, 0)
    assert isinstance(value, int)
    return value


class SemaphoreWait(Timed):
    """Observes True if it took a unit."""

    kind = Op.SEM_WAIT

    def __init__(self, name: str, timed: bool = False) -> None:
        self.semaphore = object_id(SYNC, name)
        self.footprint = writes(self.semaphore)
        self.timed = timed
        if timed:
            self.kind = Op.SEM_TIMEDWAIT

    def ready(self, world: World, thread: int) -> bool:
        return count(world, self.semaphore) > 0

    def run(self, world: World, thread: int) -> Effect:
        world.objects[self.semaphore] = count(world, self.semaphore) - 1
        return Effect(True, self.footprint)

    def expire(self, world: World, thread: int) -> Effect:
        return Effect(False, reads(self.semaphore), failed=True, timed_out=True, yields=True)


class TryWait(Action):
    kind = Op.SEM_TRYWAIT

    def __init__(self, name: str) -> None:
        self.semaphore = object_id(SYNC, name)
        self.footprint = writes(self.semaphore)

    def run(self, world: World, thread: int) -> Effect:
        if count(world, self.semaphore) == 0:
            return Effect(False, reads(self.semaphore), failed=True)
        world.objects[self.semaphore] = count(world, self.semaphore) - 1
        return Effect(True, self.footprint)


class Post(Action):
    kind = Op.SEM_POST

    def __init__(self, name: str) -> None:
        self.semaphore = object_id(SYNC, name)
        self.footprint = writes(self.semaphore)

    def run(self, world: World, thread: int) -> Effect:
        world.objects[self.semaphore] = count(world, self.semaphore) + 1
        return Effect(None, self.footprint)


def sem_wait(name: str = "s") -> Action:
    return SemaphoreWait(name)


def sem_timedwait(name: str = "s") -> Action:
    return SemaphoreWait(name, timed=True)


def sem_trywait(name: str = "s") -> Action:
    return TryWait(name)


def post(name: str = "s") -> Action:
    return Post(name)
