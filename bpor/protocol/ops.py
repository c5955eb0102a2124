"""Generated from csrc/protocol/ops.def by bpor.protocol.generate: do not edit."""

from __future__ import annotations

from enum import Enum


class Op(Enum):
    """One operation kind: its number on the wire, its text in reports, its properties."""

    number: int
    text: str
    acquires: bool
    releases: bool
    blocks: bool
    yields: bool
    ends: bool

    def __init__(self, number: int, text: str, properties: str) -> None:
        self.number = number
        self.text = text
        self.acquires = "A" in properties
        self.releases = "R" in properties
        self.blocks = "B" in properties
        self.yields = "Y" in properties
        self.ends = "E" in properties

    __hash__ = object.__hash__  # Enum's hashes the name on every look-up

    SPAWN = (0, "create", "R")
    JOIN = (1, "join", "B")
    DETACH = (2, "detach", "")
    MUTEX_INIT = (3, "mutex init", "")
    MUTEX_DESTROY = (4, "mutex destroy", "")
    MUTEX_LOCK = (5, "lock", "AB")
    MUTEX_TRYLOCK = (6, "trylock", "A")
    MUTEX_TIMEDLOCK = (7, "timedlock", "AB")
    MUTEX_UNLOCK = (8, "unlock", "R")
    COND_INIT = (9, "cond init", "")
    COND_DESTROY = (10, "cond destroy", "")
    COND_WAIT = (11, "cond wait", "R")
    COND_WAKE = (12, "cond wake", "AB")
    COND_SIGNAL = (13, "signal", "R")
    COND_BROADCAST = (14, "broadcast", "R")
    SEM_INIT = (15, "sem init", "")
    SEM_DESTROY = (16, "sem destroy", "")
    SEM_WAIT = (17, "sem wait", "B")
    SEM_TRYWAIT = (18, "sem trywait", "")
    SEM_TIMEDWAIT = (19, "sem timedwait", "B")
    SEM_POST = (20, "post", "R")
    SEM_GETVALUE = (21, "sem getvalue", "")
    YIELD = (22, "yield", "Y")
    SLEEP = (23, "sleep", "Y")
    PROCESS_END = (24, "process end", "E")
    READ = (25, "read", "")
    WRITE = (26, "write", "")
    RMW = (27, "read-modify-write", "")
    CAS = (28, "compare-exchange", "")
    RWLOCK_RDLOCK = (29, "rdlock", "AB")
    RWLOCK_WRLOCK = (30, "wrlock", "AB")
    RWLOCK_TRYRDLOCK = (31, "tryrdlock", "A")
    RWLOCK_TRYWRLOCK = (32, "trywrlock", "A")
    RWLOCK_UNLOCK = (33, "rwunlock", "R")
    BARRIER_ARRIVE = (34, "barrier arrive", "R")
    BARRIER_LEAVE = (35, "barrier leave", "B")
    FUTEX_WAIT = (36, "futex wait", "")
    FUTEX_RETURN = (37, "futex return", "B")
    FUTEX_WAKE = (38, "futex wake", "R")
    FUTEX_REQUEUE = (39, "futex requeue", "R")
    FUTEX_WAKE_OP = (40, "futex wake op", "R")
    FD_READ = (41, "fd read", "BR")
    FD_WRITE = (42, "fd write", "BR")
    FD_CLOSE = (43, "fd close", "R")
    FD_COPY = (44, "fd copy", "")
    FD_CONTROL = (45, "fd control", "R")
    FD_POLL = (46, "poll", "B")
    FILE_LOCK = (47, "flockfile", "AB")
    FILE_TRYLOCK = (48, "ftrylockfile", "A")
    FILE_UNLOCK = (49, "funlockfile", "R")
    FILE_USE = (50, "stdio", "B")
    FENCE = (51, "fence", "")
    FREE = (52, "free", "")
    RWLOCK_INIT = (53, "rwlock init", "")
    RWLOCK_DESTROY = (54, "rwlock destroy", "")
    RWLOCK_TIMEDRDLOCK = (55, "timedrdlock", "AB")
    RWLOCK_TIMEDWRLOCK = (56, "timedwrlock", "AB")
    SPIN_INIT = (57, "spin init", "")
    SPIN_DESTROY = (58, "spin destroy", "")
    SPIN_LOCK = (59, "spin lock", "AB")
    SPIN_TRYLOCK = (60, "spin trylock", "A")
    SPIN_UNLOCK = (61, "spin unlock", "R")
    BARRIER_INIT = (62, "barrier init", "")
    BARRIER_DESTROY = (63, "barrier destroy", "B")
    ONCE_BEGIN = (64, "once", "AB")
    ONCE_END = (65, "once done", "R")
    GUARD_ACQUIRE = (66, "static init", "AB")
    GUARD_RELEASE = (67, "static init done", "R")
    MUTEX_ABANDON = (68, "end holding", "R")
    THREAD_END = (69, "thread end", "R")
    TRYJOIN = (70, "tryjoin", "")
    TIMEDJOIN = (71, "timedjoin", "B")
    SEM_OPEN = (72, "sem open", "")
    SEM_CLOSE = (73, "sem close", "")
    SEM_UNLINK = (74, "sem unlink", "")
    GIL_TAKE = (75, "take", "AB")
    GIL_DROP = (76, "drop", "R")
    PYMUTEX_LOCK = (77, "lock", "AB")
    PYMUTEX_TRYLOCK = (78, "trylock", "AR")
    PYMUTEX_UNLOCK = (79, "unlock", "R")
    GATE = (80, "start", "B")
    LEAVE = (81, "done", "B")
    REGION_AWAIT = (82, "await start", "B")
    REGION_END = (83, "region end", "B")
    CONTAINER_READ = (84, "container read", "")
    CONTAINER_WRITE = (85, "container write", "")
    REFERENCE_USE = (86, "use reference", "")
    FILES_READ = (87, "look at", "")
    FILES_WRITE = (88, "change", "")
    DIRECTORY_READ = (89, "look at", "")
    DIRECTORY_WRITE = (90, "change", "")
    ENVIRONMENT_READ = (91, "look at", "")
    ENVIRONMENT_WRITE = (92, "change", "")
    RANDOM_READ = (93, "look at", "")
    RANDOM_WRITE = (94, "draw", "")
    STATICS_READ = (95, "look at", "")
    STATICS_WRITE = (96, "change", "")
    STREAMS_READ = (97, "look at", "")
    STREAMS_WRITE = (98, "change", "")
    DESCRIPTORS_READ = (99, "look at", "")
    DESCRIPTORS_WRITE = (100, "change", "")
    SETTINGS_READ = (101, "look at", "")
    SETTINGS_WRITE = (102, "change", "")
    NUMBERS_READ = (103, "look at", "")
    NUMBERS_WRITE = (104, "change", "")
    UNMAP = (105, "unmap", "")
    CHOOSE = (106, "choose", "")
    ASSUME = (107, "assume", "B")
    FAULT = (108, "may fail", "")
    RWLOCK_ANNOUNCE = (109, "announce wrlock", "B")
    RWLOCK_WITHDRAW = (110, "withdraw wrlock", "R")
    SIGNAL_SEND = (111, "add to", "R")
    SIGNAL_WAIT = (112, "take from", "B")


BY_NUMBER: tuple[Op, ...] = tuple(Op)
