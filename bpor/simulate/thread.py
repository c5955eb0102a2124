"""Threads and the process: spawn, join, yield, sleep, exit, leave.

Thread start and end are not steps: a new thread runs to its first operation inside its creator's spawn step, its end belongs to its last
step. spawn and join order steps and enable threads, but have no footprint, hence no dependence. Only where the main thread may leave
without ending the process is an end a step of its own (ThreadEnd).
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import TYPE_CHECKING

from bpor.protocol.ops import Op
from bpor.simulate.action import SYNC, Action, Effect, object_id, reads, writes
from bpor.simulate.unroll import Body

if TYPE_CHECKING:
    from bpor.simulate.world import World


class Spawn(Action):
    """Observes the new thread's path, which is the same in equivalent executions (its number is not)."""

    kind = Op.SPAWN

    def __init__(self, body: Body) -> None:
        self.body = body

    def run(self, world: World, thread: int) -> Effect:
        return Effect(world.spawn(self.body, thread), ())


class Join(Action):
    kind = Op.JOIN

    def __init__(self, path: tuple[int, ...]) -> None:
        self.target = path

    def ready(self, world: World, thread: int) -> bool:
        assert self.target is not None
        return world.has_finished(self.target)

    def run(self, world: World, thread: int) -> Effect:
        return Effect(None, ())


class Yield(Action):
    def __init__(self, kind: Op, passing: bool = False) -> None:
        self.kind = kind
        self.passing = passing

    def run(self, world: World, thread: int) -> Effect:
        return Effect(None, (), yields=True, passing=self.passing)


class ProcessEnd(Action):
    kind = Op.PROCESS_END

    def __init__(self, code: int = 0) -> None:
        self.code = code

    def run(self, world: World, thread: int) -> Effect:
        world.end_process(thread, self.code)
        return Effect(None, ())


_PRESENT = object_id(SYNC, "present")  # of the main thread
_LEFT = object_id(SYNC, "left")  # those whom the main thread left behind


class ThreadEnd(Action):
    """The end of a thread of a program whose main thread leaves: the last of them ends the process.

    As long as the main thread is there nobody else is the last, so ends commute, but not with main's leaving. Once it has left every end
    may be the one that leaves another thread alone, so ends depend on each other.
    """

    kind = Op.THREAD_END

    def __init__(self, thread: int) -> None:
        self.footprint = reads(_PRESENT) + writes(_LEFT) if thread else writes(_PRESENT)

    def run(self, world: World, thread: int) -> Effect:
        footprint = self.footprint[:1] if thread and world.live & 1 else self.footprint
        last = world.live == 1 << thread
        return Effect(None, footprint, then=ProcessEnd() if last else None)

    def key(self) -> Hashable:
        return self.kind, self.footprint


def spawn(body: Body) -> Action:
    return Spawn(body)


class Choose(Action):
    """Observes any number below `count`: an input that is explored like a schedule."""

    kind = Op.CHOOSE

    def __init__(self, count: int) -> None:
        self.count = count

    def alternatives(self, world: World, thread: int) -> int:
        return self.count

    def run(self, world: World, thread: int) -> Effect:
        return self.take(world, thread, 0)

    def take(self, world: World, thread: int, alternative: int) -> Effect:
        return Effect(alternative, ())


class Assume(Action):
    """An assumption that does not hold: the thread never goes on, and the execution says nothing."""

    kind = Op.ASSUME

    def ready(self, world: World, thread: int) -> bool:
        return False


class Fault(Action):
    """A call that may fail, at most so often in one execution (Semantics.faults); observes whether it did. One that is interrupted has
    waited: leaving its thread is free."""

    kind = Op.FAULT

    def __init__(self, name: str) -> None:
        self.name = name

    def alternatives(self, world: World, thread: int) -> int:
        return 2 if world.injected.get(self.name, 0) < world.semantics.faults else 1

    def run(self, world: World, thread: int) -> Effect:
        return Effect(False, ())

    def take(self, world: World, thread: int, alternative: int) -> Effect:
        world.injected[self.name] = world.injected.get(self.name, 0) + 1
        return Effect(True, (), cuts=self.name == "eintr")


def choose(count: int) -> Action:
    return Choose(count)


def assume_false() -> Action:
    return Assume()


def fault(name: str) -> Action:
    return Fault(name)


def join(path: tuple[int, ...]) -> Action:
    return Join(path)


def yield_() -> Action:
    return Yield(Op.YIELD)


def pause() -> Action:
    """A yield in straight-line code."""
    return Yield(Op.YIELD, passing=True)


def sleep() -> Action:
    return Yield(Op.SLEEP)


def exit_process(code: int = 0) -> Action:
    return ProcessEnd(code)
