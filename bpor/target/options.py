"""TargetOptions: what the target is told once per search. Everything that changes semantics is here, so it is part of a replay."""

from __future__ import annotations

from bpor.lazy_dataclass import dataclass, field
from bpor.model.deadline import Deadline
from bpor.model.orders import OrderAt
from bpor.model.trust import TrustedCode


@dataclass(frozen=True, slots=True)
class TargetOptions:
    signal: str = "any"  # which waiter a signal wakes: any | fifo
    timeouts: str = "idle"  # when a timeout may fire: idle | explore
    spurious: bool = False  # waits may return unsignalled
    stacks: bool = False  # operations come with the stack of the thread
    fork_at: str = "main"  # main | first-thread | ready
    watchdog: float = 10.0  # seconds without a scheduling point
    stdin: str = ""  # file that every execution reads from its beginning; empty: /dev/null
    races: str = "report"  # plain accesses that race: report | strict | off | explore
    memory: str = "sc"  # what atomic accesses may take: sc | tso | c11, or auto: sc, and whether c11 would make a difference is noted
    orders: tuple[OrderAt, ...] = ()  # at these call sites the program's memory orders are others
    trusted: tuple[TrustedCode, ...] = ()  # its inside is not explored
    faults: tuple[int, ...] = (0, 0, 0, 0)  # by kind (bpor/model/fault.py): so many in one execution
    visible: tuple[tuple[int, int], ...] = ()  # races=explore: (object, bytes) whose plain accesses are operations
    polling: tuple[int, ...] = ()  # call sites in loops that come back to their state: being there again is a yield
    process_state: str = "off"  # what libc and the kernel keep for all threads: off | auto (watched) | a list of what is explored
    quarantine: bool = True  # freed blocks are kept for a while, so that a late access is seen
    symmetry: str = "off"  # threads of one function are interchangeable: off | same (argument) | any (argument)
    retries: str = "all"  # of a loop that looks until it finds what it needs: all rounds | last
    checkpoints: str = "on"  # executions begin at states on the way of earlier ones: off | on | always (for tests)
    processors: int = 0  # that the program is told there are; 0: those that it would have had
    asks: bool = False  # names of files that the program asks for are listed
    seed: int = 0  # of the random sources the target asks
    output_limit: int = 64 << 20  # bytes of output after which an execution is cut
    output_kept: int = 1 << 20
    reset: str = "auto"  # how the program starts anew: rollback | fork | exec; auto: rollback, else fork, else exec, whichever is right
    process: int = 0  # of those that make threads one after the other, from 1: which is controlled; 0: there is one only
    carrier: str = "auto"  # what carries its threads: fibers | threads; auto: fibers
    gil: str = "none"  # a Python interpreter's lock: real (one lock of the model) | off (simulated to be away) | none (not looked for)
    unexplored: bool = False  # executions begin outside of the explored region, which the program opens
    machine: str = ""  # path of a list of modules whose machine code is patched (bpor/machine/modules.py); empty: none is
    deadline: Deadline = field(default_factory=Deadline, compare=False)  # not told: the controller keeps it
