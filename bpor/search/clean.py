"""Clean levels: what a search completed before anything failed. They hold although the search is given up for a race that it found later.

A race makes one more place an operation. Say that an execution within a completed bound has the place in it as an operation: if nothing
else ordered two accesses of it, the search would have met that race within the bound. So each access can be moved back to the operation
before it, no preemption is added, and what comes of it is an execution that was run, or one equivalent to it.
"""

from __future__ import annotations

from typing import Any

from bpor.lazy_dataclass import replace
from bpor.model.plan import Plan
from bpor.model.trace import Trace
from bpor.search.coverage import Level
from bpor.search.explorer import Explorer
from bpor.search.strategies.widening import Widening
from bpor.settings import STRONG, Settings


class Clean:
    """Of the default search with these settings; `seen`: what was seen of its executions, for the report (report/observers.py)."""

    batches = True

    def __init__(self, settings: Settings, seen: tuple[Any, ...]) -> None:
        self._settings, self._seen = replace(settings, visible=""), seen
        self.levels: tuple[Level, ...] = ()

    def executed(self, explorer: Explorer, plan: Plan, trace: Trace) -> None:
        if not explorer.failures and isinstance(explorer.strategy, Widening):
            self.levels = explorer.strategy.done()

    def following(self, given_up: Clean | None) -> tuple[Level, ...]:
        """Levels of that search, which differs in its visible places at most, that hold for this one; what was seen in them is seen."""
        known = given_up is not None and given_up._settings == self._settings
        if given_up is None or not known or not given_up.levels or not self._rely:
            return ()
        for ours, theirs in zip(self._seen, given_up._seen, strict=True):
            ours.load(theirs.save())
        return given_up.levels

    @property
    def _rely(self) -> bool:
        """A known bug ends an execution and is none of its failures; weaker memory and equal threads were not looked at."""
        settings = self._settings
        return settings.suppressions is None and settings.memory in STRONG and settings.symmetry == "off"
