"""Solo: what one thread does from a state when it runs alone, until it waits, ends, goes round in a circle or is stopped."""

from __future__ import annotations

from enum import Enum

from bpor.lazy_dataclass import dataclass
from bpor.model.operation import Footprint, ObjectAccess
from bpor.protocol.ops import Op

_THREAD = 3  # object class, as on the wire
ANY_THREAD = (1 << 59) - 1  # where which one is not known


class Halt(Enum):
    """Why a thread that runs alone goes no further."""

    WAITS = "waits"
    ENDED = "ended"
    CIRCLE = "circle"  # it comes back to a state it was in: it can run for ever
    CUT = "cut"  # by a limit
    OVER = "over"  # it ended the process


@dataclass(frozen=True, slots=True)
class SoloMove:
    footprint: Footprint
    ends: bool = False  # the process: conflicts with everything
    creates: bool = False  # a thread: nobody may look beyond, for that one may run from there on


@dataclass(frozen=True, slots=True)
class Solo:
    moves: tuple[SoloMove, ...]
    halt: Halt
    wanted: Footprint = ()  # what it waits for


@dataclass(frozen=True, slots=True)
class SoloFuture:
    """What a thread may still do, as far as is known."""

    touches: Footprint
    ends: bool  # the process


def joining(thread: int) -> Footprint:
    """What a join reads: the end of a thread, as an object."""
    return (ObjectAccess(_THREAD << 60 | thread, False),)


def ending(thread: int) -> Footprint:
    """What the end of a thread writes."""
    return (ObjectAccess(_THREAD << 60 | thread, True),)


def with_join(kind: Op, footprint: Footprint, target: int | None) -> Footprint:
    """An operation's footprint where ends and joins are accesses too."""
    return footprint + joining(target) if kind is Op.JOIN and target is not None else footprint
