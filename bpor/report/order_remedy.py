"""Which memory orders would have kept an execution from happening that fails because of an old value; tried, not guessed.

All atomic accesses and fences of the failing execution get seq_cst, by the runtime, at their call sites. If it cannot happen then, orders
are taken back one at a time, as far as it still cannot, and the rest made as weak as that allows. Then a search with these orders looks for
another failing execution; if there is one, it has to be kept from happening too, and the orders are looked for again.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Protocol, runtime_checkable

from bpor.errors import BporError, Diverged
from bpor.lazy_dataclass import dataclass, field
from bpor.model.executor import Executor
from bpor.model.operation import ATOMIC, ORDERS
from bpor.model.orders import MOST, OrderAt, place_of
from bpor.model.plan import Plan
from bpor.model.trace import Trace
from bpor.protocol.ops import Op
from bpor.report.finding import Finding, SourceSite
from bpor.report.names import Names
from bpor.search.bounds import parse_bound
from bpor.search.budget import Budget, SearchStop
from bpor.search.explorer import Explorer
from bpor.search.options import SearchOptions
from bpor.search.registry import make_strategy
from bpor.search.result import Failure
from bpor.settings import Settings

SECONDS = 3.0
_ROUNDS = 6
_SC = "seq_cst"
_WEAKER = {
    Op.READ: ("acquire",),
    Op.WRITE: ("release",),
    Op.RMW: ("release", "acquire", "acq_rel"),
    Op.CAS: ("release", "acquire", "acq_rel"),
    Op.FENCE: ("release", "acquire", "acq_rel"),
}
_NOUNS = {Op.READ: "load", Op.WRITE: "store", Op.RMW: "read-modify-write", Op.CAS: "compare-exchange", Op.FENCE: "fence"}


@runtime_checkable
class Reordering(Executor, Protocol):
    def reorder(self, orders: tuple[OrderAt, ...]) -> None:
        """In later executions the program's memory orders are others at these call sites, and no others."""
        ...


@dataclass(frozen=True, slots=True)
class _Access:
    """What is done at one call site."""

    kind: Op
    order: str
    failure: str
    data: bool  # it is where an old value was read: better left as it is


@dataclass(slots=True)
class _Remedy:
    executor: Reordering
    settings: Settings
    finding: Finding
    in_time: Callable[[], bool]
    failing: list[Trace] = field(default_factory=list)

    def find(self) -> tuple[dict[int, str], bool, str] | None:
        """The order at each call site, whether a search with them was finished, and what it covers; None: none was found in time."""
        self.failing = [self.finding.trace]
        for _ in range(_ROUNDS):
            orders = self._smallest()
            if orders is None:
                return None
            failure, done, covered = self._search(orders)
            if failure is None:
                return orders, done, covered
            self.failing.append(self._whole(failure, orders))
        return None

    def _smallest(self) -> dict[int, str] | None:
        accesses = dict(_accesses(self.failing))
        orders = {site: _SC for site, access in accesses.items() if access.order != _SC}
        if not orders or len(orders) > MOST or not self._prevents(orders):
            return None
        for site in sorted(orders, key=lambda site: (not accesses[site].data, site)):
            without = {other: order for other, order in orders.items() if other != site}
            if without and self._prevents(without):
                orders = without
        for site in orders:
            for order in _WEAKER[accesses[site].kind]:
                if self._prevents(orders | {site: order}):
                    orders[site] = order
                    break
        return orders

    def _prevents(self, orders: Mapping[int, str]) -> bool:
        """Does none of the executions fail with them? One whose old value is not on offer any more is none of the program's."""
        if not self.in_time():
            return False
        self._use(orders)
        return not any(self._fails(trace) for trace in self.failing)

    def _fails(self, trace: Trace) -> bool:
        prefix = tuple(step.choice for step in trace.steps)
        try:
            again = self.executor.run(Plan(prefix=prefix, max_steps=max(self.settings.max_steps, len(prefix)), tentative=True))
        except Diverged:
            return False
        return again.end.outcome.is_bug

    def _use(self, orders: Mapping[int, str]) -> None:
        accesses = dict(_accesses(self.failing))
        self.executor.reorder(tuple(map(self._at, orders.items())) if accesses else ())

    def _at(self, item: tuple[int, str]) -> OrderAt:
        site, order = item
        module, offset = place_of(site, self.finding.description.modules)
        return OrderAt(module, offset, order, self._failure(site, order))

    def _failure(self, site: int, order: str) -> str:
        """Of a compare-exchange: as strong as its success, as far as a load can be."""
        access = dict(_accesses(self.failing)).get(site)
        if access is None or access.kind is not Op.CAS:
            return ""
        return {"seq_cst": "seq_cst", "acq_rel": "acquire", "acquire": "acquire"}.get(order, "")

    def _search(self, orders: Mapping[int, str]) -> tuple[Failure | None, bool, str]:
        self._use(orders)
        bound = None if self.settings.bound is None else parse_bound(self.settings.bound)
        strategy = make_strategy(None, bound, SearchOptions(max_steps=self.settings.max_steps, weak=True))
        result = Explorer(self.executor, strategy, Budget(None, SECONDS, 1)).run()
        if result.failures:
            return result.failures[0], False, ""
        level = result.strongest
        done = result.stop is SearchStop.EXHAUSTED and result.exhausted and level is not None
        return None, done, level.statement() if level is not None else ""

    def _whole(self, failure: Failure, orders: Mapping[int, str]) -> Trace:
        self._use(orders)
        return self.executor.run(Plan(prefix=failure.schedule.threads, max_steps=max(self.settings.max_steps, len(failure.schedule))))


def _accesses(traces: Sequence[Trace]) -> Iterator[tuple[int, _Access]]:
    old = {access.object for trace in traces for step in trace.steps if step.stale for access in step.operation.footprint}
    for trace in traces:
        for step in trace.steps:
            operation = step.operation
            if operation.site and (operation.kind in ATOMIC or operation.kind is Op.FENCE):
                data = any(access.object in old for access in operation.footprint)
                yield operation.site, _Access(operation.kind, ORDERS.get(operation.order, ""), ORDERS.get(operation.failure, ""), data)


def remedy_of(finding: Finding, executor: object, settings: Settings, seconds: float, clock: Callable[[], float] = time.monotonic) -> str:
    """In words; empty where no old value was read, or nothing was found in time."""
    if not any(step.stale for step in finding.trace.steps) or not isinstance(executor, Reordering) or not seconds:
        return ""
    deadline = clock() + min(seconds, SECONDS)
    remedy = _Remedy(executor, settings, finding, lambda: clock() < deadline)
    try:
        found = remedy.find()
    except BporError:
        return ""
    finally:
        executor.reorder(())
    return "" if found is None else _words(finding, dict(_accesses(remedy.failing)), *found)


def _words(finding: Finding, accesses: Mapping[int, _Access], orders: Mapping[int, str], done: bool, covered: str) -> str:
    names = Names(finding.description)
    at: dict[str, list[tuple[str, int, str]]] = {}
    for site, order in orders.items():
        place = next(iter(names.stack((site,))), SourceSite(function=f"{site:#x}"))
        what = f"{accesses[site].order} {_NOUNS[accesses[site].kind]}"
        article = "an" if what.startswith("a") else "a"
        at.setdefault(order, []).append((place.file, place.line, f"{place} ({article} {what})"))
    told = " and ".join(f"{order} at {', '.join(words for *_, words in sorted(places))}" for order, places in sorted(at.items()))
    then = f"{covered} pass then" if done else "this cannot happen then, and in the time there was nothing else failed"
    return f"It takes {told}: {then}."
