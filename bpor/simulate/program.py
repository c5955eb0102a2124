"""Program: the threads that are there at the start, initial values, and what the primitives do where POSIX leaves a choice."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from typing import Any

from bpor.lazy_dataclass import dataclass, field
from bpor.simulate.action import MEMORY, SYNC, Action, object_id
from bpor.simulate.thread import join, spawn
from bpor.simulate.unroll import Body
from bpor.simulate.weak import WeakMemory


@dataclass(frozen=True, slots=True)
class Semantics:
    fifo: bool = False  # a signal wakes the oldest waiter, not any
    explore_timeouts: bool = False  # timeouts are tried always, not only in idle states
    spurious: bool = False  # a wait may return unsignalled
    faults: int = 1  # of each kind, in one execution
    memory: str = "sc"  # or tso, c11
    placing: bool = True  # c11: a store may come before newer ones
    offer_all: bool = False  # weak memory offers all that its model allows, also what another schedule shows anyhow

    def weak_memory(self) -> WeakMemory | None:
        return None if self.memory == "sc" else WeakMemory(self.memory, self.placing, self.offer_all)


DEFAULT = Semantics()


@dataclass(frozen=True, slots=True)
class Program:
    """With `main`, thread 0 is the main thread: its return ends the process. Without, all `threads` are live at the start.

    With `leaves`, thread 0 is a main thread that leaves by pthread_exit: the last thread to end ends the process.
    """

    name: str
    threads: tuple[Body, ...]
    main: bool = False
    variables: dict[str, int] = field(default_factory=dict)
    semaphores: dict[str, int] = field(default_factory=dict)
    leaves: bool = False

    def initial_objects(self) -> dict[int, int]:
        memory = {object_id(MEMORY, name): value for name, value in self.variables.items()}
        return memory | {object_id(SYNC, name): value for name, value in self.semaphores.items()}

    def with_main(self, leaves: bool = False) -> Program:
        """The same threads, created by a main thread, which joins them or leaves."""

        def body() -> Generator[Action, Any, None]:
            paths = []
            for thread in self.threads:
                paths.append((yield spawn(thread)))
            for path in () if leaves else paths:
                yield join(path)

        assert not self.main and not self.leaves
        return Program(self.name, (body,), not leaves, self.variables, self.semaphores, leaves)


def program(name: str, threads: Sequence[Body], **semaphores: int) -> Program:
    """All threads live at the start; keyword arguments are initial counts of semaphores."""
    return Program(name, tuple(threads), semaphores=semaphores)


def program_with_main(name: str, main: Body, **semaphores: int) -> Program:
    return Program(name, (main,), True, semaphores=semaphores)
