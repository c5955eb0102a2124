"""Strategy: what a search is to the one loop (explorer.py). It proposes plans and learns from traces; it runs nothing itself."""

from __future__ import annotations

from typing import Protocol

from bpor.model.plan import Plan
from bpor.model.trace import Trace
from bpor.search.coverage import Level
from bpor.search.tally import Counts


class Strategy(Protocol):
    def next_plan(self) -> Plan | None:
        """The next execution wanted; None: nothing is left."""
        ...

    def learn(self, trace: Trace) -> None:
        """The trace of the last plan. Called once after every plan that ran."""
        ...

    @property
    def exhausted(self) -> bool:
        """Everything this search set out to run was run. A random search never is."""
        ...

    @property
    def counts(self) -> Counts:
        """Executions, distinct traces, ... of the whole search so far."""
        ...

    def levels(self) -> tuple[Level, ...]:
        """Every bound searched so far, in the order begun. The last one is not finished while the search goes on."""
        ...
