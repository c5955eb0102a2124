"""LibraryWalk: the same search as Walk, by libbpor_engine.so (csrc/engine/cartesian), on any executor that asks at every step."""

from __future__ import annotations

from pathlib import Path

from bpor.lazy_dataclass import replace
from bpor.model.plan import Plan
from bpor.model.trace import Trace
from bpor.search.bounds.bound import NONE
from bpor.search.bounds.rules import rule_for
from bpor.search.engine.library_tree import LibraryTree
from bpor.search.options import OFF, SearchOptions
from bpor.search.tally import Tally


class LibraryWalk(LibraryTree):
    def __init__(self, options: SearchOptions, identify: bool = True, library: Path | None = None) -> None:
        self._identify = identify
        self.identified = False  # states had identities
        self.unidentified = ""  # why states had no identity, if some had none
        super().__init__(NONE, rule_for(NONE), replace(options, match=OFF, known_steps=False), Tally(options.distinct_cap), library)
        self.tally = self.total

    def _flags(self) -> int:
        return int(self._lib.BPOR_ENGINE_CARTESIAN | self._lib.BPOR_ENGINE_IDENTIFY * self._identify)

    @property
    def _asks(self) -> bool:
        return True

    @property
    def _leaps(self) -> bool:
        return True

    def next_plan(self) -> Plan | None:
        plan = super().next_plan()
        return None if plan is None else replace(plan, sleep=(), identify=self._identify)

    def learn(self, trace: Trace) -> None:
        self.identified |= bool(trace.states)
        self.unidentified = self.unidentified or trace.unidentified
        super().learn(trace)

    @property
    def endless_shown(self) -> bool:
        return bool(self._counts.most_nodes)

    @property
    def states(self) -> int:
        return int(self._counts.nodes)
