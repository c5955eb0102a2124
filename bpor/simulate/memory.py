"""Accesses of shared variables, which start at 0 unless the program says otherwise; fences.

Where memory is weak (Semantics.memory) an access offers the stores that it may read, or the places where its own may come, the newest
first; what it then does is decided by bpor.simulate.weak.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import TYPE_CHECKING

from bpor.lazy_dataclass import replace
from bpor.protocol.ops import Op
from bpor.simulate.action import MEMORY, Action, Effect, object_id, reads, writes
from bpor.simulate.weak.order import Atomic, Order

if TYPE_CHECKING:
    from bpor.simulate.world import World


class _AtomicAction(Action):
    """`atomic` says all of it; subclasses say what is observed."""

    is_atomic = True
    atomic: Atomic

    def __init__(self, atomic: Atomic) -> None:
        self.atomic = atomic
        self.order = atomic.order.number
        self.footprint = reads(atomic.location) if atomic.stores is None else writes(atomic.location)

    def run(self, world: World, thread: int) -> Effect:
        return self.take(world, thread, 0)

    def take(self, world: World, thread: int, alternative: int) -> Effect:
        atomic = self._here()
        location = atomic.location
        old = world.objects.get(location, 0)
        if world.weak is None:
            return self._take_newest(world, old)
        taken = world.weak.take(thread, atomic, old, alternative)
        if taken.stored:
            world.objects[location] = world.weak.newest(location)
        failed = self.kind is Op.CAS and not taken.stored
        return Effect(self._observes(taken.old), taken.footprint, failed=failed, source=taken.source)

    def _take_newest(self, world: World, old: Hashable) -> Effect:
        atomic = self.atomic
        written = atomic.stores(old) if atomic.stores is not None else None
        if written is None:
            return Effect(self._observes(old), reads(atomic.location), failed=self.kind is Op.CAS)
        world.objects[atomic.location] = written[0]
        return Effect(self._observes(old), self.footprint)

    def alternatives(self, world: World, thread: int) -> int:
        if world.weak is None:
            return 1
        return len(world.weak.offers(thread, self._here(), world.objects.get(self.atomic.location, 0)))

    def _here(self) -> Atomic:
        atomic = self.atomic
        return atomic if atomic.site == self.site else replace(atomic, site=self.site)

    def _observes(self, old: Hashable) -> Hashable:
        return old


class Read(_AtomicAction):
    kind = Op.READ


class Write(_AtomicAction):
    kind = Op.WRITE

    def _observes(self, old: Hashable) -> Hashable:
        return None


class ReadModifyWrite(_AtomicAction):
    """Observes the old value."""

    kind = Op.RMW


class CompareExchange(_AtomicAction):
    """Observes the old value. Pending it is a write; a failed one was a read."""

    kind = Op.CAS


class Fence(Action):
    kind = Op.FENCE
    is_atomic = True

    def __init__(self, order: Order) -> None:
        self.fence, self.order = order, order.number

    def run(self, world: World, thread: int) -> Effect:
        if world.weak is not None:
            world.weak.fence(thread, self.fence)
        return Effect(None, ())


def read(variable: str, order: Order = Order.SEQ_CST) -> Action:
    return Read(Atomic(object_id(MEMORY, variable), order, loads=True))


def write(variable: str, value: Hashable = 1, order: Order = Order.SEQ_CST) -> Action:
    return Write(Atomic(object_id(MEMORY, variable), order, loads=False, stores=lambda old: (value,)))


def increased(old: int) -> int:
    return old + 1


def rmw(variable: str, change: Callable[[int], int] = increased, order: Order = Order.SEQ_CST) -> Action:
    def changed(old: Hashable) -> tuple[Hashable]:
        assert isinstance(old, int)
        return (change(old),)

    return ReadModifyWrite(Atomic(object_id(MEMORY, variable), order, loads=True, stores=changed))


def cas(variable: str, expected: Hashable, desired: Hashable, order: Order = Order.SEQ_CST, failure: Order = Order.SEQ_CST) -> Action:
    def exchanged(old: Hashable) -> tuple[Hashable] | None:
        return (desired,) if old == expected else None

    return CompareExchange(Atomic(object_id(MEMORY, variable), order, loads=True, stores=exchanged, failure=failure))


def fence(order: Order = Order.SEQ_CST) -> Action:
    return Fence(order)
