"""Crew: several processes of the same program that search parts of the same trees at the same time. To the search one executor.

Invariant: what is not a search beside the program goes to the first; a batch is over when every process has answered.
"""

from __future__ import annotations

import functools
import operator
import signal
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from types import TracebackType
from typing import TYPE_CHECKING, Protocol

from bpor.lazy_dataclass import replace
from bpor.model.exploration import Batch, Exploration, Told, TreeTold
from bpor.model.plan import Plan
from bpor.model.trace import Description, End, Outcome, Trace
from bpor.target.exploring import ExploringExecutor
from bpor.target.loaded import Loaded
from bpor.target.mode import Mode
from bpor.target.options import TargetOptions
from bpor.target.pace import Pace
from bpor.target.program import TargetProgram

if TYPE_CHECKING:
    from concurrent.futures import Future

_STOP_EVERY = 0.05  # seconds
_IDLE = Trace(End(Outcome.STOPPED), (), batch=Batch(0, {}, 0, Told(), (TreeTold(), TreeTold()), ran=False))


class CrewMember(Protocol):
    """One process that searches a part of the trees, here or elsewhere."""

    @property
    def loaded(self) -> Loaded: ...

    def run(self, plan: Plan) -> Trace: ...

    def widen(self, visible: tuple[tuple[int, int], ...], process_state: str, memory: str) -> None: ...

    def infer(self, polling: tuple[int, ...]) -> None: ...

    def stop_soon(self) -> None: ...

    def close(self) -> None: ...


class Crew:
    explores = True

    def __init__(self, members: Sequence[CrewMember], first: ExploringExecutor) -> None:
        """`first`: does whatever is not a search; it is one of the members, or not."""
        from concurrent.futures import ThreadPoolExecutor  # slow to load, and most searches are one process

        size = len(members)
        self._members, self._first = members, first
        # A target dies with the thread that started it: these live as long as we do.
        self._threads = ThreadPoolExecutor(size, thread_name_prefix="crew")
        self._last = [_IDLE] * size
        self._fresh = [True] * size  # has no counts of this search yet
        self._interrupted = False
        self._pace = Pace(size)

    @property
    def _all(self) -> list[CrewMember]:
        return [*self._members, *([] if self._first in self._members else [self._first])]

    @property
    def mode(self) -> Mode:
        return self._first.mode

    def infer(self, polling: tuple[int, ...]) -> None:
        for member in self._all:
            member.infer(polling)

    @property
    def identifies(self) -> bool:
        return self._first.identifies

    @property
    def reason(self) -> str:
        return self._first.reason

    @property
    def loaded(self) -> Loaded:
        return functools.reduce(operator.or_, (member.loaded for member in self._all))

    def run(self, plan: Plan) -> Trace:
        if self._interrupted:
            self._interrupted = False
            raise KeyboardInterrupt
        return self._first.run(plan) if plan.exploration is None else self._explore(plan, plan.exploration)

    def describe(self, plan: Plan) -> tuple[Trace, Description]:
        return self._first.describe(plan)

    def widen(self, visible: tuple[tuple[int, int], ...], process_state: str, memory: str) -> None:
        for member in self._all:
            member.widen(visible, process_state, memory)

    def executing(self) -> int:
        return self._first.executing()

    @property
    def other_program(self) -> str:
        return self._first.other_program

    def _explore(self, plan: Plan, exploration: Exploration) -> Trace:
        if exploration.begin_total:
            self._fresh, self._last = [True] * len(self._members), [_IDLE] * len(self._members)
        if self._first not in self._members:
            self._first.rest()  # files of workers are compared with ours
        running: dict[int, Future[Trace]] = {}
        try:
            with deferred_interrupts():
                shares = self._shares(exploration)
                seconds = self._pace.begin(exploration.seconds)
                for number, share in shares.items():
                    share = replace(share, begin_total=self._fresh[number], seconds=seconds)
                    running[number] = self._threads.submit(self._members[number].run, replace(plan, exploration=share))
            self._await(running)
        except KeyboardInterrupt:
            if not running:
                raise
            self._end_batch(running)
            self._interrupted = True
        traces = [_rested(last) for last in self._last]
        for number, future in running.items():
            traces[number] = self._last[number] = future.result()
            self._fresh[number] = False
        first = traces[0]
        assert first.batch is not None
        return replace(first, batch=replace(first.batch, others=tuple(traces[1:])))

    def _shares(self, exploration: Exploration) -> dict[int, Exploration]:
        """What each one does that has something to do, within the budget of all."""
        parts = [exploration, *map(exploration.part, exploration.others)]
        busy = [number for number, part in enumerate(parts) if not part.idle]
        most = exploration.executions
        if most is not None and most > 0:
            busy = busy[:most]
        shares = {}
        for place, number in enumerate(busy):
            share = None if most is None else most // len(busy) + (place < most % len(busy))
            shares[number] = replace(parts[number], executions=share, others=())
        return shares

    def _await(self, running: Mapping[int, Future[Trace]]) -> None:
        """Whoever is done wants more work, which only the others can give."""
        from concurrent.futures import FIRST_COMPLETED, wait

        left = set(running.values())
        while left:
            done, left = wait(left, self._pace.patience, FIRST_COMPLETED)
            if not done or any(map(_ends_the_batch, done)):
                break
            for _ in done:
                self._pace.done()
        self._end_batch(running)

    def _end_batch(self, running: Mapping[int, Future[Trace]]) -> None:
        from concurrent.futures import wait

        while left := {number: future for number, future in running.items() if not future.done()}:
            for number in left:
                self._members[number].stop_soon()
            wait(left.values(), _STOP_EVERY)  # one that had not begun yet has not heard it
        self._pace.over()

    def close(self) -> None:
        for member in self._all:
            member.close()
        self._threads.shutdown()

    def __enter__(self) -> Crew:
        return self

    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None, traceback: TracebackType | None) -> None:
        self.close()


def crew_here(argv: Sequence[str], options: TargetOptions | None, program: TargetProgram | None, size: int) -> Crew:
    """So many processes on this machine."""
    members = [ExploringExecutor(argv, options, program, worker=number + 1) for number in range(size)]
    return Crew(members, members[0])


def _ends_the_batch(answered: Future[Trace]) -> bool:
    """Does an answer make it useless that others go on, or ask to be looked at?"""
    if answered.exception() is not None:
        return True
    trace = answered.result()
    batch = trace.batch
    return batch is None or batch.plan is not None or bool(trace.end.shared_state) or any(tree.left_bound for tree in batch.trees)


def _rested(trace: Trace) -> Trace:
    """What is still true of a process that had nothing to do this time."""
    assert trace.batch is not None
    batch = replace(trace.batch, executions=0, ended={}, records=(), plan=None, ran=False, others=())
    return Trace(End(Outcome.STOPPED), (), batch=batch)


@contextmanager
def deferred_interrupts() -> Iterator[None]:
    """One that comes meanwhile is raised at the end: while work is given out, nobody knows what runs and has to be waited for."""
    came: list[int] = []
    before = {}
    try:
        if threading.current_thread() is threading.main_thread():  # only there are they raised
            for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
                if signal.getsignal(number) is signal.default_int_handler:
                    before[number] = signal.signal(number, lambda number, _: came.append(number))
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
    if came:
        raise KeyboardInterrupt
