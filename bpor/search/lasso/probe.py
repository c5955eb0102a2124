"""Probes: before a search, a few executions under round robin in which the runtime looks for a state that comes back.

A scheduler as regular as this falls into most livelocks at once. Each costs one execution and, where threads come back to places they
were at, the identities of those states; of an execution that does not go round nothing is told, so nothing has to be read.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from bpor.lazy_dataclass import dataclass, field, replace
from bpor.model.executor import Executor, Identifying
from bpor.model.plan import Plan
from bpor.model.schedule import Schedule
from bpor.model.trace import Outcome, Trace
from bpor.search.lasso.found import Excused, Found, nothing_excused

QUANTA = (1, 2, 3, 4)
_NOTHING_TOLD = 1 << 30
_FIRST_PART = 1_000  # steps
_ENOUGH = 0.25  # seconds, after which no further quantum is tried


@dataclass(slots=True)
class Probed:
    executions: int = 0
    found: Found = field(default_factory=Found)
    unidentified: str = ""  # why states cannot be compared; empty: they can
    silent: Trace | None = None  # an execution in which a thread came to no scheduling point: the search need not wait for it again
    shared_state: tuple[str, ...] = ()  # what threads share whose uses are no operations yet: the search need not find it out again


def probe(executor: Identifying, max_steps: int, excused: Excused = nothing_excused, clock: Callable[[], float] = time.monotonic) -> Probed:
    """Stops at the first livelock."""
    prober = _Prober(executor, max_steps, excused)
    until = clock() + _ENOUGH
    threads = prober.run(1, 0)  # as they come; later ones wait until so many are there, so that they begin in step
    for quantum in QUANTA:
        if threads < 2 or prober.done or not executor.identifies or (quantum > 1 and clock() > until):
            break
        prober.run(quantum, threads)
    return prober.result


class _Prober:
    def __init__(self, executor: Executor, max_steps: int, excused: Excused) -> None:
        self.result = Probed()
        self.done = False
        self._executor, self._max_steps, self._excused = executor, max_steps, excused
        self._counted = False  # a long execution was looked at for rounds that only count

    def run(self, quantum: int, gather: int) -> int:
        """Answers how many threads there were."""
        plan = Plan(quantum=quantum, gather=gather, lasso=True, max_steps=self._max_steps)
        trace = self._run(replace(plan, report_from=_NOTHING_TOLD))
        outcome = trace.end.outcome
        if trace.unidentified:
            self.result.unidentified = trace.unidentified
            self.done = True
        elif trace.cycle is not None:
            self._take(self._in_states(plan))
        elif outcome is Outcome.STEP_LIMIT and not self._counted:
            self._counted = True
            self._take(self._counting(plan))
        elif outcome is not Outcome.PASSED and outcome is not Outcome.STEP_LIMIT:
            self.done = True  # what it failed of is for the search to find, by the shortest way
            self.result.silent = trace if outcome is Outcome.WATCHDOG else None
        return trace.threads

    def _in_states(self, plan: Plan) -> Found:
        from bpor.search.lasso.find import find_in_states

        return find_in_states(self._executor, self._run(replace(plan, identify=True)), self._max_steps, self._excused)

    def _counting(self, plan: Plan) -> Found:
        from bpor.search.lasso.find import found_by

        return found_by(self._executor, self._periodic(plan), self._max_steps)

    def _periodic(self, plan: Plan) -> Schedule | None:
        """Most rounds show in the first part, and reading all of a long execution takes its time."""
        from bpor.search.lasso.counters import periodic

        limits = [limit for limit in (_FIRST_PART, self._max_steps) if limit <= self._max_steps]
        lassos = (periodic(self._run(replace(plan, max_steps=limit))) for limit in limits)
        return next((lasso for lasso in lassos if lasso is not None), None)

    def _take(self, found: Found) -> None:
        self.result.found = replace(found, polling=tuple(dict.fromkeys((*self.result.found.polling, *found.polling))))
        self.done = found.lasso is not None

    def _run(self, plan: Plan) -> Trace:
        self.result.executions += 1
        trace = self._executor.run(plan)
        self.result.shared_state = trace.end.shared_state or self.result.shared_state
        return trace
