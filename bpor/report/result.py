"""Result: everything one run of the tool found out, as a value. Text, JSON and the exit code are views of it."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from bpor.lazy_dataclass import dataclass
from bpor.model.trace import Trace
from bpor.report.finding import Finding, SourceSite
from bpor.report.verdict import Verdict
from bpor.search.budget import SearchStop
from bpor.search.result import SearchResult
from bpor.settings import Settings
from bpor.target.census import Census

if TYPE_CHECKING:
    from bpor.report.execution import Execution


@dataclass(frozen=True, slots=True)
class Output:
    """One thing the program printed, and in how many complete executions."""

    stdout: bytes
    count: int
    truncated: bool = False

    @property
    def sha256(self) -> str:
        return hashlib.sha256(self.stdout).hexdigest()


@dataclass(frozen=True, slots=True)
class Reset:
    """How a program started anew for each execution, in the end of a search."""

    mode: str = ""  # rollback | fork | exec; empty: it is no real program
    because: str = ""  # why it is not a faster one; empty: it is the fastest, or was asked for

    @property
    def words(self) -> str:
        """What a verdict says of a mode that is many times slower than the others."""
        return f"a new process for every execution: {self.because}" if self.mode == "exec" else ""


@dataclass(frozen=True, slots=True)
class Result:
    argv: tuple[str, ...]
    settings: Settings
    verdict: Verdict
    findings: tuple[Finding, ...] = ()
    search: SearchResult | None = None  # None: it did not come to a search
    outcomes: tuple[Output, ...] = ()
    census: Census | None = None
    confirmed: int = 0  # failing executions that were repeated in a fresh process
    execution: Execution | None = None  # of a replay
    stack: tuple[SourceSite, ...] = ()  # of the thread that left our control (verdict uncontrolled), innermost first
    suppressed: tuple[Finding, ...] = ()  # bugs that --suppressions says are known
    by_one: str = ""  # why one process searched where several were wanted; empty: they did, or were not
    in_python: str = ""  # why the search was not beside the program; empty: it was, or there was none
    reset: Reset = Reset()
    suspect: str = ""  # of a failure that did not repeat: the name of the module that it happened in
    turns: int = 1  # processes that made threads one after the other, in each execution
    unused_suppressions: tuple[str, ...] = ()  # lines that no bug of this search matched

    @property
    def trace(self) -> Trace | None:
        """Of a replay."""
        return self.execution.trace if self.execution is not None else None

    @property
    def interrupted(self) -> bool:
        """By Ctrl-C: nothing more is to be begun."""
        return self.search is not None and self.search.stop is SearchStop.INTERRUPTED

    @property
    def exit_code(self) -> int:
        return self.verdict.exit_code(self.settings)

    def __str__(self) -> str:
        return self.verdict.statement
