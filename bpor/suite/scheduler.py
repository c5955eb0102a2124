"""Cases over processes: at most `jobs` at a time, each with its share of the time that is left.

Invariant: whatever a case does, it becomes one result: a process that dies or overstays is an internal error of that case alone. Nothing
is left running: every worker ends with us.
"""

from __future__ import annotations

import ctypes
import math
import multiprocessing
import os
import signal
import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from multiprocessing.connection import Connection, wait
from multiprocessing.context import ForkProcess
from pathlib import Path
from typing import Protocol

from bpor.errors import BporError
from bpor.lazy_dataclass import dataclass, replace
from bpor.report.checked import Checked
from bpor.report.result import Result
from bpor.report.verdict import Verdict, VerdictKind, of_error
from bpor.suite.case import Case
from bpor.suite.gtest import SHARDING

Act = Callable[[Case], Checked]
_FORK = multiprocessing.get_context("fork")  # the worker inherits `act`; we have no other threads
_PATIENCE = 60.0  # seconds beyond its share and two watchdogs before a worker counts as stuck
_PR_SET_PDEATHSIG = 1
SPENT = "not started: the suite's budget was spent on other tests"


class Lender(Protocol):
    """Has what cases need while they run, and not enough of it for all."""

    def lend(self, name: str, waiting: int) -> None: ...

    def take_back(self, name: str) -> None: ...


class Unlimited:
    """What they need is there."""

    def lend(self, name: str, waiting: int) -> None:
        pass

    def take_back(self, name: str) -> None:
        pass


@dataclass(slots=True)
class _Worker:
    case: Case
    process: ForkProcess
    results: Connection
    started: float
    overdue: float


class Scheduler:
    def __init__(
        self,
        root: Path,
        act: Act,
        jobs: int,
        budget: float | None = None,
        clock: Callable[[], float] = time.monotonic,
        lender: Lender | None = None,
    ) -> None:
        self._root, self._act, self._jobs, self._clock = root, act, jobs, clock
        self._lender = lender or Unlimited()
        self._deadline = math.inf if budget is None else clock() + budget
        self._running: list[_Worker] = []

    @property
    def jobs(self) -> int:
        return self._jobs

    @property
    def left(self) -> float:
        """Seconds of the budget; nothing without one, because then nobody was cut by a share of it."""
        return max(self._deadline - self._clock(), 0.0) if math.isfinite(self._deadline) else 0.0

    def run(self, cases: Sequence[Case]) -> Iterator[Checked]:
        """In the order in which they end."""
        waiting = list(cases)
        try:
            while waiting or self._running:
                while waiting and len(self._running) < self._jobs:
                    left = len(waiting)
                    self._lender.lend(waiting[0].name, left)
                    self._running.append(self._start(self._with_share(waiting.pop(0), left)))
                yield from self._ended()
                if self._clock() >= self._deadline:
                    yield from (_tested(case, Verdict(VerdictKind.INCONCLUSIVE, SPENT)) for case in waiting)
                    waiting = []
        except KeyboardInterrupt:
            yield from self._interrupted(waiting)
        finally:
            self._stop()

    def _with_share(self, case: Case, left: int) -> Case:
        share = share_of(self._deadline - self._clock(), left, self._jobs)
        own = case.settings.max_time
        limit = share if own is None else min(own, share)
        return replace(case, settings=replace(case.settings, max_time=None if math.isinf(limit) else max(limit, 0.001)))

    def _start(self, case: Case) -> _Worker:
        ours, theirs = _FORK.Pipe(duplex=False)
        process = _FORK.Process(target=_work, args=(case, self._act, self._root, theirs, os.getpid()))
        process.start()
        theirs.close()
        now = self._clock()
        limit = case.settings.max_time
        return _Worker(case, process, ours, now, math.inf if limit is None else now + limit + 2 * case.settings.watchdog + _PATIENCE)

    def _ended(self) -> Iterator[Checked]:
        if not self._running:
            return
        until = min(worker.overdue for worker in self._running) - self._clock()
        ready = wait([worker.results for worker in self._running], None if math.isinf(until) else max(until, 0))
        now = self._clock()
        for worker in [one for one in self._running if one.results in ready or now >= one.overdue]:
            self._running.remove(worker)
            self._lender.take_back(worker.case.name)
            yield replace(self._collect(worker), seconds=self._clock() - worker.started)

    def _collect(self, worker: _Worker) -> Checked:
        tested: Checked | None = None
        if worker.results.poll():
            try:
                tested = worker.results.recv()
            except (EOFError, OSError):
                tested = None
        else:
            worker.process.terminate()
        worker.results.close()
        worker.process.join(5)
        if worker.process.is_alive():
            worker.process.kill()
            worker.process.join()
        how = f"its process ended with {worker.process.exitcode} and no result"
        return tested or _tested(worker.case, Verdict(VerdictKind.INTERNAL, how))

    def _interrupted(self, waiting: Sequence[Case]) -> Iterator[Checked]:
        """Ctrl-C reaches the workers too; SIGTERM may not have. Each reports what it covered so far."""
        for worker in self._running:
            worker.process.terminate()
        for worker in self._running:
            wait([worker.results], 10)
            yield replace(self._collect(worker), seconds=self._clock() - worker.started)
        self._running = []
        yield from (_tested(case, Verdict(VerdictKind.INCONCLUSIVE, "not started: interrupted")) for case in waiting)

    def _stop(self) -> None:
        for worker in self._running:
            worker.process.kill()
            worker.process.join()
            worker.results.close()


def share_of(left: float, cases: int, jobs: int) -> float:
    """So much of the time left that the cases to come, `jobs` at a time, may have as much. What one does not use, the next ones get."""
    return left / math.ceil(cases / jobs)


def _tested(case: Case, verdict: Verdict) -> Checked:
    return Checked(case.name, Result(case.argv, case.settings, verdict), case.expect)


def _work(case: Case, act: Act, root: Path, results: Connection, parent: int) -> None:
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(1)
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    for name in SHARDING:
        os.environ.pop(name, None)
    try:
        os.chdir(root)
        with case.place.entered():
            tested = _light(act(case))
    except BporError as error:
        tested = _tested(case, of_error(error.exit_code, str(error)))
    except KeyboardInterrupt:
        tested = _tested(case, Verdict(VerdictKind.INCONCLUSIVE, "interrupted before the search"))
    except Exception as error:
        trace = "".join(traceback.format_exception(error))
        tested = _tested(case, Verdict(VerdictKind.INTERNAL, f"{type(error).__name__}: {error}\n{trace}"))
    results.send(tested)
    results.close()


def _light(tested: Checked) -> Checked:
    """Without the failing executions as they came: the findings hold what a report needs."""
    result = tested.result
    if result.search is None:
        return tested
    return replace(tested, result=replace(result, search=replace(result.search, failures=(), uncontrolled=None)))
