"""Budget: when to stop although the search is not exhausted. Checked once after every execution and nowhere else."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from enum import Enum


class SearchStop(Enum):
    """Why the loop ended."""

    EXHAUSTED = "exhausted"
    MAX_EXECUTIONS = "max executions"
    MAX_TIME = "max time"
    FINDINGS = "findings"
    UNCONTROLLED = "uncontrolled"
    INTERRUPTED = "interrupted"
    DISK = "disk"  # there was no room for what does not fit into memory
    POLLING = "polling"  # a loop without a yield comes back to its state: the search begins again, with a yield in it
    SHARED = "shared"  # threads share something whose uses were no operations: the search begins again


class Budget:
    """`max_findings` = 1 stops at the first bug; None keeps going."""

    def __init__(
        self,
        max_executions: int | None = None,
        max_seconds: float | None = None,
        max_findings: int | None = 1,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.max_executions = max_executions
        self.max_seconds = max_seconds
        self.max_findings = max_findings
        self._clock = clock
        self._start = clock()

    def start(self) -> None:
        self._start = self._clock()

    @property
    def elapsed(self) -> float:
        return self._clock() - self._start

    @property
    def left(self) -> float:
        """Seconds; for what is done with a finding after the search."""
        return math.inf if self.max_seconds is None else max(self.max_seconds - self.elapsed, 0.0)

    def exhausted(self, executions: int, findings: int) -> SearchStop | None:
        if self.max_findings is not None and findings >= self.max_findings:
            return SearchStop.FINDINGS
        if self.max_executions is not None and executions >= self.max_executions:
            return SearchStop.MAX_EXECUTIONS
        if self.max_seconds is not None and self.elapsed >= self.max_seconds:
            return SearchStop.MAX_TIME
        return None
