"""LibraryGraphs: the same search as GraphSearch, by libbpor_engine.so (csrc/engine/graphs), on any executor that asks at every step."""

from __future__ import annotations

from pathlib import Path

from bpor.lazy_dataclass import replace
from bpor.search.bounds.bound import Bound
from bpor.search.bounds.rules import rule_for
from bpor.search.engine.library_tree import LibraryTree
from bpor.search.estimate import Estimate
from bpor.search.options import OFF, SearchOptions
from bpor.search.tally import Tally


class LibraryGraphs(LibraryTree):
    def __init__(self, bound: Bound, options: SearchOptions, total: Tally, library: Path | None = None) -> None:
        super().__init__(bound, rule_for(bound), replace(options, match=OFF), total, library)

    def _flags(self) -> int:
        return int(self._lib.BPOR_ENGINE_GRAPHS | self._lib.BPOR_ENGINE_KNOWN_STEPS)

    @property
    def _asks(self) -> bool:
        return True

    @property
    def _leaps(self) -> bool:
        return True

    def estimate(self) -> Estimate | None:  # type: ignore[override]
        """Knuth's method needs a tree."""
        return None
