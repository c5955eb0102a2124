"""Engine: which thread goes next, for a runtime of any kind that stops its threads before each operation.

The contract stands in bpor/include/bpor_engine.h. Invariant: a thread is always stopped before the operation it reported last; that
operation counts as executed, as it was reported, when the thread was scheduled and its next one, its end or the next call of `schedule`
is reported, unless `step` has told more of it.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum
from types import TracebackType
from typing import Any, Self

from bpor.engine.library import ffi, load, options

_SPAN = 1 << 16  # numbers of one object: each thread has one of its own, and so has each entry
_ENTRIES = _SPAN - 64
_WORD = (1 << 64) - 1


class Access(Enum):
    """Weak accesses are those of one entry of a container: they conflict with each other only at the same entry, and with accesses of the
    whole container as usual."""

    READ = (False, False)
    WRITE = (True, False)
    WEAK_READ = (False, True)
    WEAK_WRITE = (True, True)

    def __init__(self, writes: bool, weak: bool) -> None:
        self.writes = writes
        self.weak = weak


class Stop(Enum):
    """Why an execution has no next step."""

    NOBODY = -1  # nobody is enabled: the end of the program, or a deadlock
    REDUNDANT = -2  # what would follow was explored before
    OVER_BOUND = -3  # nobody who is awake may run within the bound
    STEP_LIMIT = -4
    MATCHED = -7  # what would follow was explored, or is, from where the execution came by this state


class EngineError(Exception):
    """The program did not repeat itself, or the calls came in an order that makes no sense."""


Range = tuple[int, int, bool]  # first number, how many, written?


class Engine:
    """One search. `with Engine(preemption=2) as engine:` frees its tables at the end, which are large."""

    def __init__(
        self,
        *,
        preemption: int | None = None,
        fair: int | None = None,
        context: int | None = None,
        delta: int | None = None,
        local_depth: int | None = None,
        local_context: int | None = None,
        local_preemption: int | None = None,
        stale: int | None = None,
        max_steps: int = 20_000,
        reduction: bool = True,
        known_steps: bool = False,
        match: bool = False,
    ) -> None:
        self._library = lib = load()
        limits = {"preemption": preemption, "fair": fair, "context": context, "delta": delta}
        limits |= {"local_depth": local_depth, "local_context": local_context, "local_preemption": local_preemption}
        limits["stale"] = stale
        fast = lib.BPOR_ENGINE_SLEEP_SETS | lib.BPOR_ENGINE_TRANSITIVE_REDUCTION
        fast |= lib.BPOR_ENGINE_BOUND_OPTIMISATION | lib.BPOR_ENGINE_RELEASE_OPTIMISATION
        flags = fast if reduction else lib.BPOR_ENGINE_EVERYTHING
        flags |= (lib.BPOR_ENGINE_KNOWN_STEPS | lib.BPOR_ENGINE_LEADS) * known_steps
        flags |= lib.BPOR_ENGINE_MATCH * match
        self._engine: Any = lib.bpor_engine_new(options(limits, max_steps, flags))
        if self._engine == ffi.NULL:
            raise EngineError("no memory for the tables of a search")
        self._running = False
        self._chosen: int | None = None
        self._pending: dict[int, Any] = {}

    # ---- executions ----

    def begin_execution(self) -> bool:
        """False: every schedule within the bound that matters was run."""
        self._check()
        self._running = bool(self._library.bpor_engine_begin(self._engine))
        self._chosen = None
        self._pending.clear()
        self._check()
        return self._running

    def end_execution(self, died: bool = False) -> None:
        """`died`: the program ended after the last step in a way that no thread had reported, by a crash for example."""
        self._check()
        self._settle()
        self._running = False
        self._library.bpor_engine_end(self._engine, died)
        self._check()

    def next_execution(self, died: bool = False) -> bool:
        """Ends the execution that runs, if one does, and begins the next."""
        if self._running:
            self.end_execution(died)
        return self.begin_execution()

    # ---- steps ----

    def schedule(self, enabled: Iterable[int], waiters: Iterable[int] = (), identity: int | None = None) -> int | Stop:
        """The thread to run now. `waiters`: threads that are not enabled but whose wait may time out when nobody else can run.
        `identity`, with `match`: equal for states that go on alike."""
        self._settle()
        if identity is not None:
            self._library.bpor_engine_identify(self._engine, (identity + 1) & _WORD, (identity + 1) >> 64 & _WORD)
        chosen = self._library.bpor_engine_schedule(self._engine, _mask(enabled), _mask(waiters))
        self._check()
        if chosen < 0:
            return Stop(chosen)
        self._chosen = int(chosen)
        return self._chosen

    def report_access(self, thread: int, number: int, access: Access, entry: int | None = None) -> None:
        """What a thread will do next: an access of the object `number`, or of an entry of it if the access is weak."""
        kind = "write" if access.writes else "read"
        self.report(thread, kind, [_range(thread, number, access, entry)])

    def report_sync(self, thread: int, kind: str, number: int | None = None, target: int | None = None, timed: bool = False) -> None:
        """What a thread will do next: an operation of synchronisation, by its name ("mutex_lock", "mutex_unlock", "spawn", "join", ...).

        A join has a target, the thread it waits for; every other operation has an object, which it changes.
        """
        self.report(thread, kind, [] if number is None else [_range(thread, number, Access.WRITE, None)], target, timed)

    def report(self, thread: int, kind: str, accesses: Iterable[Range] = (), target: int | None = None, timed: bool = False) -> None:
        """`timed`: it may end by a timeout when nobody else can run."""
        self._settle()
        ranges = [(first, count, written) for first, count, written in accesses]
        array = ffi.new("struct bpor_engine_access[]", ranges)
        number = self._library.bpor_engine_kind(kind.encode())
        if number < 0:
            raise EngineError(f"there is no operation {kind!r}")
        joined = self._library.BPOR_ENGINE_NO_THREAD if target is None else target
        operation = ffi.new("struct bpor_engine_operation *", (thread, number, joined, timed, len(ranges), array))
        self._pending[thread] = (array, len(ranges))
        self._library.bpor_engine_announce(self._engine, operation)
        self._check()

    def report_end(self, thread: int) -> None:
        """A thread ended."""
        self._settle()
        self._pending.pop(thread, None)
        self._library.bpor_engine_finish(self._engine, thread)

    def step(
        self,
        *,
        yielded: bool = False,
        failed: bool = False,
        timed_out: bool = False,
        circles: bool = False,
        accesses: Iterable[Range] | None = None,
    ) -> None:
        """The scheduled thread has performed its operation. Only needed if there is more to say than what was reported."""
        if self._chosen is None:
            raise EngineError("no thread was scheduled")
        array, count = self._pending.get(self._chosen, (ffi.NULL, 0))
        if accesses is not None:
            ranges = list(accesses)
            array, count = ffi.new("struct bpor_engine_access[]", ranges), len(ranges)
        flags = yielded * self._library.BPOR_ENGINE_YIELDED | failed * self._library.BPOR_ENGINE_FAILED
        flags |= timed_out * self._library.BPOR_ENGINE_TIMED_OUT | circles * self._library.BPOR_ENGINE_CIRCLES
        self._chosen = None
        self._library.bpor_engine_step(self._engine, flags, array, count)
        self._check()

    @property
    def alternative(self) -> int:
        """Which way the scheduled thread is to go: 0 unless its step has offered several in the same place before."""
        return int(self._library.bpor_engine_alternative(self._engine))

    def offer(self, count: int, source: int | None = None) -> None:
        """The scheduled thread's step could go `count` ways: every one is tried, 0 first. `source`: the step that happens before it
        for the way it went, though no access shows it."""
        self._library.bpor_engine_offer(self._engine, count, 0 if source is None else source + 1)
        self._check()

    def _settle(self) -> None:
        if self._chosen is not None:
            self.step()

    # ---- what came of it ----

    @property
    def executions(self) -> int:
        return int(self._counts.executions)

    @property
    def complete(self) -> int:
        """Executions that ended by themselves."""
        return int(self._counts.complete)

    @property
    def bounded(self) -> bool:
        """Did the bound keep a thread from running that the search wanted to try? If not, the result holds without the bound too."""
        return int(self._counts.refused) > 0

    @property
    def checked(self) -> int:
        """Executions that known steps could have answered, and that were run to compare."""
        return int(self._counts.checked)

    @property
    def given_up_at(self) -> int | None:
        """The step at which a thread did something else than its causal past had told: from there on known steps were not used."""
        step = int(self._counts.contradicted_at)
        return step - 1 if step else None

    @property
    def trace(self) -> int:
        """Equal for equivalent executions."""
        return int(self._library.bpor_engine_trace(self._engine))

    @property
    def _counts(self) -> Any:
        return self._library.bpor_engine_count(self._engine)

    def _check(self) -> None:
        if self._engine is None:
            raise EngineError("this engine was closed")
        error = ffi.string(self._library.bpor_engine_error(self._engine)).decode()
        if error:
            raise EngineError(error)

    def close(self) -> None:
        if self._engine is not None:
            self._library.bpor_engine_free(self._engine)
            self._engine = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()


def _mask(threads: Iterable[int]) -> int:
    return sum(1 << thread for thread in set(threads))


def _range(thread: int, number: int, access: Access, entry: int | None) -> Range:
    if not 0 <= number < 1 << 47:
        raise EngineError(f"the number of an object lies between 0 and 2^47, {number} does not")
    if not access.weak:
        return number * _SPAN, _SPAN, access.writes
    if entry is None:
        return number * _SPAN + thread, 1, access.writes
    if not 0 <= entry < _ENTRIES:
        raise EngineError(f"the number of an entry lies between 0 and {_ENTRIES}, {entry} does not")
    return number * _SPAN + 64 + entry, 1, access.writes
