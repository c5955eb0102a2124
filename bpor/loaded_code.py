"""Libraries that a program loads as it runs, whose machine code could tell what it does: the search begins again with them patched, as
soon as they are seen, because what was run before says nothing about their accesses."""

from __future__ import annotations

from collections.abc import Callable

from bpor.model.plan import Plan
from bpor.model.trace import Trace
from bpor.search.explorer import Explorer


class MoreCode(Exception):
    def __init__(self, paths: tuple[str, ...]) -> None:
        super().__init__(", ".join(paths))
        self.paths = paths


class LoadedCode:
    """An observer. It looks behind 1, 2, 4, 8, … executions or batches: a look reads the names of all that is loaded."""

    batches = True

    def __init__(self, unpatched: Callable[[], tuple[str, ...]]) -> None:
        self._unpatched = unpatched
        self._seen = 0

    def executed(self, explorer: Explorer, plan: Plan, trace: Trace) -> None:
        self._seen += 1
        if self._seen & (self._seen - 1) == 0 and not explorer.failures and (paths := self._unpatched()):
            raise MoreCode(paths)
