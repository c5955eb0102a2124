"""SearchResult: what one search found and covered, as a value. Failure: one failing execution."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bpor.lazy_dataclass import dataclass, field
from bpor.model.schedule import Schedule
from bpor.model.trace import Trace
from bpor.search.budget import SearchStop
from bpor.search.coverage import Level, strongest
from bpor.search.tally import Counts

if TYPE_CHECKING:
    from bpor.search.lasso.found import Polling
    from bpor.search.livelock import Livelock, Starvation


@dataclass(frozen=True, slots=True)
class Failure:
    """A bug: the whole schedule, and the trace as it came (its replayed prefix is not repeated in it)."""

    schedule: Schedule
    trace: Trace
    livelock: Livelock | None = None
    fair: int | None = None  # the fair bound under which a livelock is one
    way: object = field(default=None, compare=False)  # to fail: of those with the same one only the cheapest is kept


@dataclass(frozen=True, slots=True)
class SearchResult:
    stop: SearchStop
    exhausted: bool
    failures: tuple[Failure, ...]  # one of each way to fail, at most failures.MAX_KEPT
    counts: Counts
    levels: tuple[Level, ...]
    seconds: float
    executions: int  # those that only confirmed something included
    failing: int = 0  # failing executions altogether
    uncontrolled: Failure | None = None  # an execution that met a call or a thread we do not control
    starvation: Starvation | None = None  # the first step limit that was a thread spinning while others could run
    shared_state: tuple[str, ...] = ()  # End.shared_state of its executions
    polling: tuple[Polling, ...] = ()  # loops that end only if the scheduler is fair

    @property
    def strongest(self) -> Level | None:
        """The strongest statement completed; None: not even the smallest bound was."""
        return strongest(self.levels)
