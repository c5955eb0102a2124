"""optimal: one execution per trace, none redundant (Optimal DPOR; Abdulla, Aronis, Jonsson, Sagonas, JACM 2017).

`optimal:bit-reversal` and the like take what waits at a state in another order; then a few executions may be redundant. Beside the program
and in the library it is the same search in C (csrc/engine/optimal); there a process that goes on after another begins anew.

Within a bound wakeup trees are not enough: the execution that shows a race of a trace within the bound may itself lie beyond it. There the
search is bpor's, whose runs may repeat each other, with the table of known steps, so that each trace is executed once all the same.
"""

from __future__ import annotations

from typing import Any

from bpor.errors import UsageError
from bpor.lazy_dataclass import replace
from bpor.model.executor import Executor
from bpor.model.plan import Plan
from bpor.model.trace import Trace
from bpor.search.bounds.bound import NONE, Bound, BoundKind
from bpor.search.bounds.rules import rule_for
from bpor.search.coverage import Level
from bpor.search.engine.library_tree import LibraryTree
from bpor.search.optimal.beside import BesideWakeups
from bpor.search.optimal.order import ORDERS
from bpor.search.optimal.search import Wakeups
from bpor.search.options import OFF, SearchOptions
from bpor.search.resume import NotKept
from bpor.search.strategies.ladder import Ladder
from bpor.search.tally import Counts, Tally


class Optimal:
    def __init__(self, options: SearchOptions, order: str = "dfs") -> None:
        self.search = _search(options, order)

    def next_plan(self) -> Plan | None:
        return self.search.next_plan()

    def learn(self, trace: Trace) -> None:
        self.search.learn(trace)

    @property
    def exhausted(self) -> bool:
        return self.search.finished

    @property
    def counts(self) -> Counts:
        return self.search.tally.counts()

    def levels(self) -> tuple[Level, ...]:
        return (Level(NONE, self.counts, self.search.finished, 0),)

    def save(self) -> dict[str, Any]:
        if isinstance(self.search, Wakeups):
            return self.search.save()
        return {"linked": None}

    def load(self, saved: dict[str, Any], executor: Executor) -> None:
        if not isinstance(self.search, Wakeups) or saved["linked"] is None:
            raise NotKept("the optimal search beside the program keeps no tree; --engine=python does")
        self.search.load(saved, executor)


def _search(options: SearchOptions, order: str) -> Wakeups | BesideWakeups | LibraryTree:
    number = list(ORDERS).index(order)
    if options.engine == "native":
        tally = Tally(options.distinct_cap)
        beside = BesideWakeups(options, tally, order=number)
        beside.tally = tally
        return beside
    if options.engine == "library":
        from bpor.search.optimal.library import LibraryWakeups  # it loads a library that searches of native programs do not need

        return LibraryWakeups(options, Tally(options.distinct_cap), number)
    return Wakeups(options, ORDERS[order])


def optimal(bound: Bound, options: SearchOptions, seed: int, order: str = "dfs") -> Optimal | Ladder:
    if order not in ORDERS:
        raise UsageError(f"optimal: {order!r} is no order; there are {', '.join(ORDERS)}")
    if bound.is_none:
        return Optimal(options, order)
    if order != "dfs":
        raise UsageError(f"--search optimal:{order} takes no bound, but {bound} was given: an order is one of wakeup trees")
    if bound.kinds - {BoundKind.PREEMPTION, BoundKind.FAIR}:
        raise UsageError(f"--search optimal goes with the bounds preemption and fair, not with {bound}")
    if options.engine == "python":
        raise UsageError(f"--search optimal takes a bound ({bound}) in C alone, beside the program: the search in Python knows no steps")
    return Ladder(bound.levels(), rule_for, replace(options, known_steps=True, match=OFF))
