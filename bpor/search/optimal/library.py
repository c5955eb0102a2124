"""LibraryWakeups: the same search as Wakeups, by libbpor_engine.so (csrc/engine/optimal), on any executor."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from bpor.engine.library import ffi, options
from bpor.errors import InternalError
from bpor.model.plan import Plan
from bpor.model.trace import Trace
from bpor.search.bounds.bound import NONE
from bpor.search.bounds.rules import rule_for
from bpor.search.engine.library_tree import LibraryTree
from bpor.search.options import SearchOptions
from bpor.search.tally import Tally


class LibraryWakeups(LibraryTree):
    """An execution may only answer a question: it is no execution of the search, and nothing of it is counted but that it was run."""

    def __init__(self, options: SearchOptions, total: Tally, order: int = 0, library: Path | None = None) -> None:
        self._order = order
        super().__init__(NONE, rule_for(NONE), options, total, library)

    def _new(self) -> Any:
        engine = self._lib.bpor_engine_new(options({}, self._options.max_steps, self._lib.BPOR_ENGINE_OPTIMAL, order=self._order))
        if engine == ffi.NULL:
            raise InternalError("no memory for the tables of a search")
        return engine

    @property
    def _asks(self) -> bool:
        return True

    def next_plan(self) -> Plan | None:
        hashes = list(self._hashes)
        plan = super().next_plan()
        if plan is None or not self._plan.asks:
            return plan
        self._hashes = hashes
        return Plan(prefix=plan.prefix, max_steps=len(plan.prefix) + 2, report_from=plan.report_from, chooser=self._choose)

    def learn(self, trace: Trace) -> None:
        if not self._plan.asks:
            super().learn(trace)
            return
        known = len(self._hashes) - self._told
        if not self._told:
            self._follow(trace.first, dict(trace.initial))
        for step in trace.steps[self._told :]:
            if not self._told:
                self._expect(self._schedule(step), step.thread)
            self._tell(step)
        self._lib.bpor_engine_end(self._engine, bool(trace.steps) and trace.steps[-1].ends_process)
        self._check()
        del self._hashes[known:]
        self._events.clear()
        self._told, self._moved = 0, False
        for tally in {id(each): each for each in (self.tally, self.total)}.values():
            tally.asked += 1
