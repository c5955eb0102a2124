"""Action: what a simulated thread asks for. Effect: what its step did.

Invariant: an action is immutable and keeps all state in `World.objects`, whose values are immutable too, so that a world can be copied.
Footprints are decided in the family files and nowhere else: an action has the pending one, its Effect the executed one.
"""

from __future__ import annotations

from collections.abc import Hashable
from enum import Enum
from functools import cache
from typing import TYPE_CHECKING

from bpor.lazy_dataclass import dataclass
from bpor.model.operation import Footprint, ObjectAccess
from bpor.protocol.ops import Op

if TYPE_CHECKING:
    from bpor.simulate.world import World

MEMORY, SYNC = 0, 1  # object classes, as on the wire
_NAME_BYTES = 7  # what fits beside the class: names are mapped to numbers one to one, without a table


@cache
def object_id(object_class: int, name: str) -> int:
    """A stable number for a named object."""
    encoded = name.encode()
    if not 0 < len(encoded) <= _NAME_BYTES:
        raise ValueError(f"object name {name!r} must have 1 to {_NAME_BYTES} bytes")
    return object_class << 60 | int.from_bytes(encoded, "big")


def object_name(identity: int) -> str:
    """The name behind `object_id`."""
    number = identity & ((1 << 60) - 1)
    return number.to_bytes(_NAME_BYTES, "big").lstrip(b"\0").decode()


@cache
def reads(*objects: int) -> Footprint:
    return tuple(ObjectAccess(each, False) for each in objects)


@cache
def writes(*objects: int) -> Footprint:
    return tuple(ObjectAccess(each, True) for each in objects)


class Expiry(Enum):
    """When a blocked action may end without what it waits for."""

    NEVER = 0
    IDLE = 1  # in idle states only (timeouts=idle)
    ALWAYS = 2  # timeouts=explore, or a spurious wake-up


@dataclass(frozen=True, slots=True)
class Effect:
    value: Hashable  # what the thread observes
    footprint: Footprint
    failed: bool = False
    timed_out: bool = False
    yields: bool = False
    cuts: bool = False
    passing: bool = False  # a yield at a place where the thread was never before: counted, but nobody is kept from going on after it
    source: tuple[int, int] | None = None  # of an old read: the thread, and which of its steps, that stored what it saw
    then: Action | None = None  # a second step of the same call, before the thread observes anything


class Misuse(Exception):
    """A primitive was used in a way POSIX leaves undefined. Caught by World: an Outcome, never seen outside."""


class Action:
    """Base of the families. `ready` is a function of executed steps only, never of what others are pending on."""

    kind: Op
    footprint: Footprint = ()
    target: tuple[int, ...] | None = None  # the thread joined
    site = 0  # 0: the place in the generator's code
    timed = False  # it may end by a timeout
    order = 0  # of an atomic access or a fence: Operation.order
    is_atomic = False  # an access or fence that memory itself orders, where it is weak

    def ready(self, world: World, thread: int) -> bool:
        return True

    def expiry(self, world: World, thread: int) -> Expiry:
        """Asked only if not ready."""
        return Expiry.NEVER

    def run(self, world: World, thread: int) -> Effect:
        """The step, when ready."""
        raise NotImplementedError

    def alternatives(self, world: World, thread: int) -> int:
        """How many ways the step can go, when ready; the first is `run`."""
        return 1

    def take(self, world: World, thread: int, alternative: int) -> Effect:
        """The step by another than the first."""
        raise NotImplementedError

    def expire(self, world: World, thread: int) -> Effect:
        """The step, when not ready but chosen."""
        raise NotImplementedError

    def key(self) -> Hashable:
        """Tells two second steps of one call apart."""
        return self.kind

    def at(self, site: int) -> Action:
        """This action with a call site of its own choosing."""
        self.site = site
        return self


class Timed(Action):
    """A blocking action with an optional timeout."""

    def expiry(self, world: World, thread: int) -> Expiry:
        if not self.timed:
            return Expiry.NEVER
        return Expiry.ALWAYS if world.semantics.explore_timeouts else Expiry.IDLE
