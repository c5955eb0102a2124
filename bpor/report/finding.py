"""Finding: one bug as a value that pickles and prints. Text, JSON and every later page are views of it.

Invariant: everything a reader sees (names, places, source lines) was looked up when the finding was built, so a view needs neither
the program nor its debug information, and a finding stays true when the program is rebuilt.
"""

from __future__ import annotations

import os
from enum import StrEnum
from typing import TYPE_CHECKING

from bpor.lazy_dataclass import dataclass, field
from bpor.model.schedule import Schedule
from bpor.model.trace import Description, Trace
from bpor.protocol.ops import Op
from bpor.settings import Settings

if TYPE_CHECKING:
    from bpor.report.own_failure import OwnFailure


_ADDRESSES = 1 << 32  # values from here on are hardly ever numbers of a program


class FindingKind(StrEnum):
    DEADLOCK = "deadlock"
    LIVELOCK = "livelock"
    ASSERTION = "assertion"
    CRASH = "crash"
    TERMINATE = "terminate"
    EXIT = "exit"
    RACE = "race"
    MISUSE = "misuse"
    MEMORY = "memory"
    NONLINEARIZABLE = "nonlinearizable"


@dataclass(frozen=True, slots=True)
class SourceSite:
    """A place in the source. `line` is 0 where only a function (or only a module) is known."""

    file: str = ""
    line: int = 0
    function: str = ""
    source: str = ""  # the text of the line
    via: str = ""  # the place in a Python program that called it
    inside: str = ""  # the function, or the library, without debug information that was called here and in which it happened

    def __str__(self) -> str:
        """`bank.c:40`; `worker` without debug information; `test_bank.py:12 → bank.c:40`."""
        return f"{self.via} → {self.brief}" if self.via else self.brief

    @property
    def brief(self) -> str:
        """Without the Python program that called it."""
        return f"{os.path.basename(self.file)}:{self.line}" if self.line else self.function or os.path.basename(self.file) or "?"

    @property
    def with_function(self) -> str:
        place = f"{self} in {self.function}" if self.line and self.function else str(self)
        return f"{place}, inside {self.inside}" if self.inside else place


@dataclass(frozen=True, slots=True)
class ObjectName:
    """`name` is short enough for a column: a variable, or `mutex#1` whose `origin` says "allocated at pool.c:30"."""

    name: str
    origin: str = ""
    is_told: bool = False  # the name says what it is, and a sentence can do without the origin: `account#1.lock`

    def __str__(self) -> str:
        return f"`{self.name}` ({self.origin})" if self.origin and not self.is_told else f"`{self.name}`"


@dataclass(frozen=True, slots=True)
class SourceStep:
    """A step as a reader sees it."""

    index: int  # in the schedule
    thread: int
    op: Op
    objects: tuple[ObjectName, ...] = ()
    value: int | None = None  # read or written, for operations that have one
    site: SourceSite | None = None
    target: int | None = None  # the thread created or joined
    preempted: int | None = None  # the thread that could have gone on here
    failed: bool = False
    timed_out: bool = False
    yields: bool = False
    inferred: bool = False
    alternative: int = 0  # that it took ...
    alternatives: int = 1  # ... of so many
    call: str = ""  # that may fail, by --faults ...
    effect: str = ""  # ... and did, so

    @property
    def value_text(self) -> str:
        """An address reads better, and shorter, as one."""
        return f"{self.value:#x}" if self.value is not None and self.value >= _ADDRESSES else str(self.value)


@dataclass(frozen=True, slots=True)
class Held:
    """A lock held at the end, and the step that took it (None: before the first step seen)."""

    object: ObjectName
    step: SourceStep | None = None


@dataclass(frozen=True, slots=True)
class ThreadAtEnd:
    """A thread in the last state."""

    number: int
    name: str = ""
    pending: Op | None = None  # None: finished
    blocked: bool = False
    objects: tuple[ObjectName, ...] = ()  # of the pending operation
    waits_for: tuple[int, ...] = ()  # threads that hold what it waits for, or that it joins
    stack: tuple[SourceSite, ...] = ()  # innermost first, where it was recorded
    site: SourceSite | None = None
    held: tuple[Held, ...] = ()
    remark: str = ""  # why nobody will wake it

    @property
    def label(self) -> str:
        return f"T{self.number} ({self.name})" if self.name else f"T{self.number}"


@dataclass(frozen=True, slots=True)
class Why:
    """The nearest execution that passes: `earlier` runs before `later` in it, and after it (or never) in the failing one."""

    earlier: SourceStep  # of the passing execution
    later: SourceStep  # of the failing one
    schedule: Schedule
    steps: tuple[SourceStep, ...]  # of the passing execution
    trace: Trace
    description: Description
    replay: str  # the command line that shows it
    orderings: int = 1  # races that are the other way round in it

    def __str__(self) -> str:
        return f"it passes if {_step_text(self.earlier)} runs before {_step_text(self.later)}"


@dataclass(frozen=True, slots=True)
class LivelockLook:
    """What a thread of a livelock reads, or tries to take in vain, in each round, and the step of another thread that changed it last."""

    step: SourceStep
    undone_by: SourceStep | None = None  # None: nobody else ever did
    in_round: bool = False  # that step is part of the round too


@dataclass(frozen=True, slots=True)
class RoundThread:
    """One thread's part of a round."""

    number: int
    label: str
    places: tuple[str, ...]  # its loop
    looks: tuple[LivelockLook, ...]


@dataclass(frozen=True, slots=True)
class Round:
    """The part of a livelock that goes on for ever; the steps before it are its stem."""

    nature: str  # "can never end", ...
    proved: bool  # it comes back to the state that it began with
    start: int  # index of its first step
    length: int
    threads: tuple[RoundThread, ...]
    blocked: tuple[int, ...] = ()  # threads that wait meanwhile
    counters: tuple[str, ...] = ()  # what differs from round to round: "`retries` (+2 per round)"


def _step_text(step: SourceStep) -> str:
    what = f"{step.op.text} {step.objects[0].name}" if step.objects else step.op.text
    return f"{step.site} (T{step.thread}: {what})" if step.site is not None else f"T{step.thread}'s {what}"


@dataclass(frozen=True, slots=True)
class Finding:
    kind: FindingKind
    message: str  # what happened, in one sentence
    schedule: Schedule
    preemptions: int
    trace: Trace
    description: Description
    replay: str  # the command line that repeats it
    site: SourceSite | None = None  # where it failed
    thread: int | None = None  # the thread that failed
    stack: tuple[SourceSite, ...] = ()  # of that thread, innermost first
    steps: tuple[SourceStep, ...] = ()
    threads: tuple[ThreadAtEnd, ...] = ()
    cycle: tuple[int, ...] = ()  # of a deadlock: each thread waits for the next, the last for the first
    other_thread: int | None = None  # of a race or a memory error: who came first
    other_stack: tuple[SourceSite, ...] = ()  # and where it was
    object: ObjectName | None = None  # of a race
    orders: tuple[str, ...] = ()  # of a race: commands that run its accesses in one order and in the other
    why: Why | None = None  # None: no single ordering was found that makes the difference
    remedy: str = ""  # which memory orders would help, if an old value was read
    argv: tuple[str, ...] = ()  # the program it was found in
    settings: Settings = field(default_factory=Settings)  # the options it was found with
    round: Round | None = None  # of a livelock that is a lasso
    failure: OwnFailure | None = None  # what the program itself said about it
    whole_replay: str = ""  # `replay` with the schedule itself, if that has a short name; for who has no `.bpor`

    @property
    def is_proved(self) -> bool:
        return self.round is None or self.round.proved

    @property
    def what(self) -> str:
        """`deadlock`; `livelock, not proved`."""
        return str(self.kind) if self.is_proved else f"{self.kind}, not proved"

    @property
    def summary(self) -> str:
        """The last line of a report: `deadlock bank.c:41 in transfer`; `Cache.ConcurrentPuts failed, test_cache.cpp:29`."""
        if self.failure is not None:
            return self.failure.brief
        return f"{self.what} {self.site.with_function}" if self.site is not None else self.what

    def __str__(self) -> str:
        return self.message if self.failure is not None else f"{self.what}: {self.message}"
