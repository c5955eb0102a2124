"""What the reference search keeps of one execution: its events, and one frame per state."""

from __future__ import annotations

from dataclasses import dataclass, field

from bpor.model.operation import Footprint, Operation
from bpor.protocol.ops import Op
from bpor.simulate.world import World

Watch = Footprint | None  # None: never sleeps


@dataclass(slots=True)
class Event:
    thread: int
    kind: Op
    footprint: Footprint  # executed
    ends: bool
    cuts: bool
    yields: bool
    circles: bool
    local: int  # how many of the thread's steps came before, plus 1
    clock: dict[int, int]
    following: Operation | None


@dataclass(slots=True)
class Frame:
    world: World
    enabled: int
    timed: int
    pending: dict[int, Operation]
    last: int | None
    last_cut: bool
    spent: int
    yields: dict[int, int]
    sleep_in: dict[int, Footprint]
    circling: set[int] = field(default_factory=set)
    backtrack: set[int] = field(default_factory=set)
    waiting: set[int] = field(default_factory=set)  # bound optimisation: only if the bound was exceeded below
    conservative: set[int] = field(default_factory=set)  # for mutants: points added at block starts only
    done: dict[int, Watch] = field(default_factory=dict)
    block: int = 0  # start of the block of the event taken here
    exploring: int = -1
    watch_open: bool = False


@dataclass(frozen=True, slots=True)
class Options:
    sleep: bool = True
    transitive: bool = True
    bound_optimisation: bool = True
    release: bool = True  # unbounded only


class TooLong(Exception):
    """More runs or steps than a test wants to wait for."""
