"""cb-por: one complete execution per terminal happens-before graph within a preemption bound (Musuvathi and Qadeer 2007).

No search runs fewer complete executions within a preemption bound; a few more may end in vain (cb_por/search.py). The price is memory for
every graph on the way. Beside the program and in the library it is the same search in C (csrc/engine/graphs); there a process that goes on
after another begins anew.
"""

from __future__ import annotations

from typing import Any, TypeAlias

from bpor.errors import UsageError
from bpor.model.executor import Executor
from bpor.model.plan import Plan
from bpor.model.trace import Trace
from bpor.search.bounds.bound import Bound, BoundKind
from bpor.search.cb_por.beside import BesideGraphs
from bpor.search.cb_por.search import GraphSearch
from bpor.search.coverage import Level, load_level, save_level
from bpor.search.engine.library_tree import LibraryTree
from bpor.search.options import SearchOptions
from bpor.search.resume import NotKept
from bpor.search.tally import Counts, Tally

AnySearch: TypeAlias = "GraphSearch | BesideGraphs | LibraryTree"


class CbPor:
    """One search per level, the smallest first; a level that refused nobody is the last."""

    def __init__(self, bound: Bound, options: SearchOptions) -> None:
        self._options = options
        self.total = Tally(options.distinct_cap)
        self._waiting = bound.levels()
        self._past: list[Level] = []
        self.search: AnySearch | None = self._climb()

    def _climb(self) -> AnySearch | None:
        level = next(self._waiting, None)
        return None if level is None else _search(level, self._options, self.total)

    def next_plan(self) -> Plan | None:
        while self.search is not None:
            plan = self.search.next_plan()
            if plan is not None:
                return plan
            level = self.search.level()
            self._past.append(level)
            self.search = None if level.whole else self._climb()
        return None

    def learn(self, trace: Trace) -> None:
        assert self.search is not None
        self.search.learn(trace)

    @property
    def exhausted(self) -> bool:
        return self.search is None

    @property
    def counts(self) -> Counts:
        return self.total.counts()

    def levels(self) -> tuple[Level, ...]:
        return (*self._past, *((self.search.level(),) if self.search is not None else ()))

    def save(self) -> dict[str, Any]:
        if self._options.engine != "python":
            return {"search": None}
        return {
            "total": self.total.save(),
            "past": [save_level(level) for level in self._past],
            "search": self.search.save() if isinstance(self.search, GraphSearch) else None,
        }

    def load(self, saved: dict[str, Any], executor: Executor) -> None:
        if self._options.engine != "python" or "total" not in saved:
            raise NotKept("cb-por beside the program keeps no states; --engine=python does")
        for level in map(load_level, saved["past"]):
            self._past.append(level)
            self.search = None if level.whole else self._climb()
        if isinstance(self.search, GraphSearch):
            self.search.load(saved["search"], executor)
        self.total.load(saved["total"])


def _search(level: Bound, options: SearchOptions, total: Tally) -> AnySearch:
    if options.engine == "native":
        return BesideGraphs(level, options, total)
    if options.engine == "library":
        from bpor.search.cb_por.library import LibraryGraphs  # it loads a library that searches of native programs do not need

        return LibraryGraphs(level, options, total)
    return GraphSearch(level, options, total)


def cb_por(bound: Bound, options: SearchOptions, seed: int) -> CbPor:
    if bound.kinds - {BoundKind.PREEMPTION}:
        raise UsageError(f"--search cb-por takes the bound preemption:N (or LOW..HIGH) or none, not {bound}")
    return CbPor(bound, options)
