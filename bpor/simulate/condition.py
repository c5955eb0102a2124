"""Condition variables: a wait is two steps, release + enqueue and wake + relock; both write the condition and the mutex.

signal=any: a signal leaves a token for the wait instances queued at that moment, if there are more of them than tokens; a wake takes the
oldest token it may take; a leaving waiter is struck from all tokens and empty tokens vanish. signal=fifo: a signal marks the oldest waiter.
A broadcast marks all waiters and clears the tokens. A thread waits once at a time, so its id names the wait instance.
"""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, NamedTuple

from bpor.model.operation import Footprint
from bpor.protocol.ops import Op
from bpor.simulate.action import SYNC, Action, Effect, Expiry, object_id, writes
from bpor.simulate.mutex import release

if TYPE_CHECKING:
    from bpor.simulate.world import World


class Woken(Enum):
    """What a wait observes."""

    SIGNALLED = "signalled"
    TIMED_OUT = "timed out"
    SPURIOUS = "spurious"


class Queue(NamedTuple):
    waiters: tuple[int, ...] = ()  # oldest first; the marked ones are in `marked` only
    tokens: tuple[int, ...] = ()  # oldest first; masks of the waiters that may take each
    marked: int = 0  # mask: will wake whatever happens

    def may_wake(self, thread: int) -> bool:
        return any(mask >> thread & 1 for mask in (self.marked, *self.tokens))

    def enqueue(self, thread: int) -> Queue:
        return self._replace(waiters=(*self.waiters, thread))

    def leave(self, thread: int) -> Queue:
        bit = 1 << thread
        if self.marked & bit:
            return self._replace(marked=self.marked ^ bit)
        tokens = list(self.tokens)
        taken = next((token for token in tokens if token & bit), None)
        if taken is not None:
            tokens.remove(taken)
        struck = tuple(token & ~bit for token in tokens if token & ~bit)
        return self._replace(waiters=tuple(each for each in self.waiters if each != thread), tokens=struck)

    def signal_any(self) -> Queue:
        if len(self.waiters) <= len(self.tokens):
            return self
        return self._replace(tokens=(*self.tokens, sum(1 << waiter for waiter in self.waiters)))

    def signal_oldest(self) -> Queue:
        if not self.waiters:
            return self
        return self._replace(waiters=self.waiters[1:], marked=self.marked | 1 << self.waiters[0])

    def broadcast(self) -> Queue:
        return Queue(marked=self.marked | sum(1 << waiter for waiter in self.waiters))


def queue_of(world: World, condition: int) -> Queue:
    queue = world.objects.get(condition, Queue())
    assert isinstance(queue, Queue)
    return queue


class Wait(Action):
    kind = Op.COND_WAIT

    def __init__(self, condition: str, mutex: str, timed: bool) -> None:
        self.condition, self.mutex, self.timed = object_id(SYNC, condition), object_id(SYNC, mutex), timed
        self.footprint = writes(self.condition, self.mutex)
        self.wake = Wake(self)

    def run(self, world: World, thread: int) -> Effect:
        release(world, thread, self.mutex)
        world.objects[self.condition] = queue_of(world, self.condition).enqueue(thread)
        # A wait that may end by itself is left voluntarily: charging the switch would let it only end by itself (erratum E27).
        by_itself = world.semantics.spurious or (self.timed and world.semantics.explore_timeouts)
        return Effect(None, self.footprint, cuts=by_itself, then=self.wake)


class Wake(Action):
    """Observes Woken. One that may take a token is always signalled, never timed out."""

    kind = Op.COND_WAKE
    footprint: Footprint

    def __init__(self, wait: Wait) -> None:
        self.condition, self.mutex, self.timed = wait.condition, wait.mutex, wait.timed
        self.footprint = wait.footprint

    def ready(self, world: World, thread: int) -> bool:
        return self.mutex not in world.objects and queue_of(world, self.condition).may_wake(thread)

    def expiry(self, world: World, thread: int) -> Expiry:
        if self.mutex in world.objects:
            return Expiry.NEVER  # a signalled or timed-out wait must have the mutex before it returns
        if world.semantics.spurious or (self.timed and world.semantics.explore_timeouts):
            return Expiry.ALWAYS
        return Expiry.IDLE if self.timed else Expiry.NEVER

    def run(self, world: World, thread: int) -> Effect:
        self._leave(world, thread)
        return Effect(Woken.SIGNALLED, self.footprint)

    def expire(self, world: World, thread: int) -> Effect:
        self._leave(world, thread)
        result = Woken.TIMED_OUT if self.timed else Woken.SPURIOUS
        return Effect(result, self.footprint, failed=True, timed_out=self.timed, yields=True)

    def _leave(self, world: World, thread: int) -> None:
        world.objects[self.condition] = queue_of(world, self.condition).leave(thread)
        world.objects[self.mutex] = thread


class Signal(Action):
    kind = Op.COND_SIGNAL

    def __init__(self, condition: str) -> None:
        self.condition = object_id(SYNC, condition)
        self.footprint = writes(self.condition)

    def run(self, world: World, thread: int) -> Effect:
        queue = queue_of(world, self.condition)
        world.objects[self.condition] = queue.signal_oldest() if world.semantics.fifo else queue.signal_any()
        return Effect(None, self.footprint)


class Broadcast(Signal):
    kind = Op.COND_BROADCAST

    def run(self, world: World, thread: int) -> Effect:
        world.objects[self.condition] = queue_of(world, self.condition).broadcast()
        return Effect(None, self.footprint)


def wait(condition: str = "c", mutex: str = "m") -> Action:
    return Wait(condition, mutex, timed=False)


def timedwait(condition: str = "c", mutex: str = "m") -> Action:
    return Wait(condition, mutex, timed=True)


def signal(condition: str = "c") -> Action:
    return Signal(condition)


def broadcast(condition: str = "c") -> Action:
    return Broadcast(condition)
