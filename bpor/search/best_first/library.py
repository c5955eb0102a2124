"""LibraryOpen: the same search as OpenTree, by libbpor_engine.so (csrc/engine/open), on any executor."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from bpor.lazy_dataclass import replace
from bpor.model.exploration import Shelved
from bpor.model.operation import Operation
from bpor.search.best_first.priority import Priority, marks_of_object, marks_of_stack, stack_of
from bpor.search.bounds.bound import Bound
from bpor.search.engine.library_tree import LibraryTree
from bpor.search.engine.rule import Rule
from bpor.search.estimate import Estimate
from bpor.search.options import SearchOptions
from bpor.search.tally import Tally


class LibraryOpen(LibraryTree):
    def __init__(
        self,
        bound: Bound,
        rule: Rule,
        options: SearchOptions,
        total: Tally,
        priorities: Sequence[Priority] = (),
        seed: int = 0,
        library: Path | None = None,
    ) -> None:
        self._priorities, self._seed = tuple(priorities), seed
        self._named: set[int] = set()  # objects
        super().__init__(bound, rule, replace(options, match_limit=options.open_limit), total, library)

    def _more_options(self) -> dict[str, Any]:
        numbers = [each.number for each in self._priorities]
        return {"priorities": len(numbers), "priority": numbers, "seed": self._seed & ((1 << 64) - 1)}

    def _flags(self) -> int:
        lib = self._lib
        more = int(lib.BPOR_ENGINE_BEST_FIRST | lib.BPOR_ENGINE_EVERYTHING * self.rule.notes_races)
        return super()._flags() & ~int(lib.BPOR_ENGINE_LEADS) | more

    def _announce(self, thread: int, operation: Operation) -> None:
        naming, lib = self._options.naming, self._lib
        stack = hash(stack_of(operation)) & ((1 << 64) - 1) or 1
        if naming is not None:
            lib.bpor_engine_name(self._engine, lib.BPOR_ENGINE_STACK, stack, marks_of_stack(self._priorities, stack_of(operation), naming))
            for identity in {access.object for access in operation.footprint} - self._named:
                marks = marks_of_object(self._priorities, identity, naming)
                lib.bpor_engine_name(self._engine, lib.BPOR_ENGINE_OBJECT, identity, marks)
                self._named.add(identity)
        self._operation.stack = stack if naming is not None else 0
        super()._announce(thread, operation)

    @property
    def _leaps(self) -> bool:
        return True

    @property
    def nodes(self) -> int:
        return int(self._counts.nodes)

    @property
    def most_nodes(self) -> int:
        return int(self._counts.most_nodes)

    @property
    def shelved(self) -> Shelved:
        counts = self._counts
        return Shelved(written=int(counts.written), bytes=int(counts.written_bytes), plain_bytes=int(counts.plain_bytes))

    def estimate(self) -> Estimate | None:  # type: ignore[override]
        """Knuth's method needs subtrees that were finished one after the other."""
        return super().estimate() if self.finished else None
