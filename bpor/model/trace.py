"""Trace: the steps of one execution and how it ended. A program's fault is a value here, never an exception."""

from __future__ import annotations

from enum import Enum
from typing import NamedTuple

from bpor.lazy_dataclass import dataclass, field
from bpor.model.exploration import Batch
from bpor.model.fault import NOTHING_OFFERED, Offered
from bpor.model.operation import Operation
from bpor.model.schedule import Schedule
from bpor.model.step import Step
from bpor.model.value import value

RAISED = "raised "  # so the message of an ASSERTION begins that is an exception of another kind


class Outcome(Enum):
    PASSED = "passed"
    ASSUMED = "assumed away"  # an assumption of the test did not hold: it says nothing
    DEADLOCK = "deadlock"
    ASSERTION = "assertion"
    CRASH = "crash"
    TERMINATE = "terminate"
    EXIT = "exit"  # nonzero exit status
    MISUSE = "misuse"
    RACE = "race"  # two accesses, one of them a plain write, that no synchronisation orders
    MEMORY = "memory"  # use after free, double free
    NONLINEARIZABLE = "nonlinearizable"  # results that no serial order of the operations gives
    REFUSED = "refused"  # a call we do not control
    WATCHDOG = "watchdog"
    STEP_LIMIT = "step limit"
    OUTPUT_LIMIT = "output limit"
    KILLED = "killed"  # by somebody else, without a word: cut, not a bug
    STOPPED = "stopped"  # the chooser said stop
    REDUNDANT = "redundant"  # every enabled thread slept
    OVER_BOUND = "over bound"
    MATCHED = "matched"  # came to a state whose future is known

    __hash__ = object.__hash__  # Enum's hashes the name on every look-up

    @property
    def is_bug(self) -> bool:
        return self in _BUGS

    @property
    def is_complete(self) -> bool:
        """Ended by itself: what distinct_traces counts (ALGORITHM 1.15), but for those that were assumed away."""
        return self is Outcome.PASSED or self is Outcome.ASSUMED or self in _BUGS


_BUGS = frozenset(
    {
        Outcome.DEADLOCK,
        Outcome.ASSERTION,
        Outcome.CRASH,
        Outcome.TERMINATE,
        Outcome.EXIT,
        Outcome.MISUSE,
        Outcome.RACE,
        Outcome.MEMORY,
        Outcome.NONLINEARIZABLE,
    }
)


@value
class End:
    """How an execution ended."""

    outcome: Outcome
    code: int = 0  # exit status or signal
    thread: int | None = None  # the thread that ended it
    message: str = ""
    stack: tuple[int, ...] = ()  # native return addresses, innermost first
    address: int = 0  # of a fault
    stdout: bytes = b""
    stderr: bytes = b""
    object: int = 0  # of a race: what both accesses touch
    object_bytes: int = 0
    site: int = 0  # of a race: the name of the instruction of machine code that made the later access, plainly; 0: it was none
    other_site: int = 0  # likewise of any code that made the earlier one; 0 unless described
    other_thread: int | None = None  # of a race or a memory error: who came first
    other_stack: tuple[int, ...] = ()
    excused: bool = False  # accesses were not checked for races, because the program's annotations ask so
    shared_state: tuple[str, ...] = ()  # what libc or the kernel keeps that threads share, and whose uses are no operations yet


class Change(NamedTuple):
    """A word of memory, or of a thread's registers, that is not what it was in the state compared before."""

    taken: int  # steps before the state in which it is different
    address: int
    before: int
    now: int
    thread: int | None  # whose register it is, or the like; None: it is memory
    object: int = 0  # its canonical name, if it is memory


@value
class Trace:
    """`steps[k]` is step number `first + k`: the replayed prefix before `first` is not repeated.

    `initial` holds the operations pending in the state before `steps[0]`.
    """

    end: End
    steps: tuple[Step, ...]
    first: int = 0
    initial: tuple[tuple[int, Operation], ...] = ()
    enabled: int = 0  # in the last state
    timed: int = 0
    preemptions: int = 0
    refused_by_bound: int = 0  # states in which the bound refused an enabled thread
    threads: int = 0  # created, main included
    hash: int = 0  # of the whole execution
    states: tuple[int | None, ...] = ()  # if the plan asks: the identity of the state before each step, and of the last one
    unidentified: str = ""  # why some have none
    cycle: tuple[int, int] | None = None  # of a probe: the state after `length` steps is that after the first of these, so many steps ago
    looked: int = 0  # of a probe: identities that it took
    weak: int = 0  # of all executions so far: OFFERED, DROPPED, KEPT
    offered: Offered = NOTHING_OFFERED  # by steps of all executions so far
    interchanged: int = 0  # threads of all executions so far that were taken as interchangeable, as a mask
    changes: tuple[Change, ...] = ()  # if the plan asks: words that differ between the states that it compares
    batch: Batch | None = None  # this is the last one of many
    lost: int = 0  # states in which the fair bound kept a thread from running that got on with something
    lost_at: int = 0  # call site of the yield after which the first of them waited
    counting_at: int = 0  # likewise, of one in a loop that only counts its rounds, which was taken for waiting

    @property
    def length(self) -> int:
        return self.first + len(self.steps)

    @property
    def executions(self) -> int:
        """How many were made for it, by all processes."""
        if self.batch is None:
            return 1
        return sum(one.batch.executions for one in (self, *self.batch.others) if one.batch is not None)

    def pending(self) -> dict[int, Operation]:
        """What each unfinished thread was about to do in the last state."""
        pending = dict(self.initial)
        for step in self.steps:
            pending.pop(step.thread, None)
            pending.update(step.announced)
            for thread in step.finished:
                pending.pop(thread, None)
        return pending

    def __str__(self) -> str:
        """`deadlock after 4 steps: 0*2,1,2`."""
        shown = Schedule.of(step.choice for step in self.steps)
        return f"{self.end.outcome.value} after {self.length} step{'s' * (self.length != 1)}: {'…,' * bool(self.first)}{shown}"


OFFERED, DROPPED, KEPT = 1, 2, 4  # weak memory had an old store for an access; not all that its model allows; it was looked at


@dataclass(frozen=True, slots=True)
class ScriptFrame:
    """A place in a Python program."""

    file: str
    line: int
    function: str


class NativeFrame(NamedTuple):
    """What it takes to find the variables of a function that is being run."""

    address: int  # where its call returns to
    pointer: int  # its stack pointer then; the next frame's is where it ends (its CFA)
    registers: tuple[int, int, int, int, int, int]  # rbx, rbp, r12, r13, r14, r15: those that a call keeps


class NativeStack(NamedTuple):
    frames: tuple[NativeFrame, ...]  # innermost first
    words: tuple[tuple[int, int], ...]  # (where, what): those on the stack that point to the heap or to a stack


@dataclass(slots=True)
class Description:
    """What a report needs beyond the steps; filled by executions run with `describe`."""

    objects: dict[int, tuple[int, int]] = field(default_factory=dict)  # object -> (address, allocation site)
    names: dict[int, str] = field(default_factory=dict)  # object -> what the program calls it, if it has a name at run time
    threads: dict[int, tuple[int, int]] = field(default_factory=dict)  # thread -> (creator, start routine)
    held: list[tuple[int, int]] = field(default_factory=list)  # (thread, object) at the end
    stacks: dict[tuple[int, int], tuple[int, ...]] = field(default_factory=dict)  # (thread, its n-th operation) -> return addresses
    modules: list[tuple[int, str]] = field(default_factory=list)  # (load address, path)
    scripts: dict[tuple[int, int], tuple[ScriptFrame, ...]] = field(default_factory=dict)  # the same in Python, innermost first
    owners: dict[int, int] = field(default_factory=dict)  # object on a stack -> the thread whose stack it is
    frames: dict[tuple[int, int], NativeStack] = field(default_factory=dict)  # of `stacks`, with what lies in them
    last: NativeStack | None = None  # of the thread that ended the execution
    account: str = ""  # the program's own words about its failure: the traceback of a Python test
