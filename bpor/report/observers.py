"""Observers of the search loop that a report reads afterwards: what the program printed, which executions were cut short, and where yields
were inferred.

Invariant: memory stays flat: at most MAX_DISTINCT outputs are kept; the rest are counted together.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from bpor.lazy_dataclass import asdict
from bpor.model.fault import Offered
from bpor.model.plan import Plan
from bpor.model.trace import Outcome, Trace
from bpor.report.result import Output
from bpor.search.explorer import Explorer

MAX_DISTINCT = 10_000
KEPT_BYTES = 64 * 1024  # of each distinct output
_LAST = 256  # steps of an execution that was too long
_UNCUT = frozenset({Outcome.REDUNDANT, Outcome.OVER_BOUND, Outcome.MATCHED, Outcome.STOPPED, Outcome.REFUSED, Outcome.WATCHDOG})


class Cuts:
    """Executions that did not end by themselves, by why, and what the first one was at that was cut by the step limit."""

    def __init__(self) -> None:
        self.counts: dict[Outcome, int] = {}
        self.thread = 0
        self.sites: tuple[int, ...] = ()  # of the operations that this thread went on making; none: no step limit was met

    def executed(self, explorer: Explorer, plan: Plan, trace: Trace) -> None:
        if trace.end.outcome is Outcome.STEP_LIMIT and not self.sites:
            self._look(trace)
        ended = {trace.end.outcome: 1} if trace.batch is None else trace.batch.ended
        for outcome, count in ended.items():
            if count and not outcome.is_complete and outcome not in _UNCUT:
                self.counts[outcome] = self.counts.get(outcome, 0) + count

    def _look(self, trace: Trace) -> None:
        """The busiest thread of the last steps; a loop that is longer than these shows a part of it."""
        last = trace.steps[-_LAST:]
        if last:
            self.thread = Counter(step.thread for step in last).most_common(1)[0][0]
            self.sites = tuple(sorted({step.operation.site for step in last if step.thread == self.thread}))

    def save(self) -> tuple[dict[str, int], int, list[int]]:
        return {outcome.value: count for outcome, count in self.counts.items()}, self.thread, list(self.sites)

    def load(self, saved: tuple[dict[str, int], int, list[int]]) -> None:
        counts, self.thread, sites = saved
        self.counts, self.sites = {Outcome(text): count for text, count in counts.items()}, tuple(sites)


class Outputs:
    """The distinct standard outputs of complete executions (`--outcomes`)."""

    def __init__(self) -> None:
        self._counts: Counter[tuple[bytes, bool]] = Counter()

    def executed(self, explorer: Explorer, plan: Plan, trace: Trace) -> None:
        if not trace.end.outcome.is_complete or trace.end.outcome is Outcome.ASSUMED:
            return
        text = trace.end.stdout
        key = text[:KEPT_BYTES], len(text) > KEPT_BYTES
        if key in self._counts or len(self._counts) < MAX_DISTINCT:
            self._counts[key] += 1
        else:
            self._counts[b"", True] += 1

    def save(self) -> list[tuple[str, bool, int]]:
        return [(text.decode("latin-1"), cut, count) for (text, cut), count in self._counts.items()]

    def load(self, saved: list[tuple[str, bool, int]]) -> None:
        self._counts = Counter({(text.encode("latin-1"), cut): count for text, cut, count in saved})

    @property
    def found(self) -> tuple[Output, ...]:
        return tuple(Output(text, count, cut) for (text, cut), count in self._counts.most_common())


class InferredYields:
    """Call sites at which a thread was taken to be waiting although the program does not say so."""

    def __init__(self) -> None:
        self.sites: dict[int, None] = {}

    def executed(self, explorer: Explorer, plan: Plan, trace: Trace) -> None:
        self.sites.update((step.operation.site, None) for step in trace.steps if step.inferred)
        if trace.batch is not None:
            self.sites.update(dict.fromkeys(trace.batch.inferred))

    def save(self) -> list[int]:
        return list(self.sites)

    def load(self, saved: list[int]) -> None:
        self.sites = dict.fromkeys(saved)


class Orders:
    """The memory orders that atomic accesses asked for (Operation.order)."""

    def __init__(self) -> None:
        self.seen: set[int] = set()

    def executed(self, explorer: Explorer, plan: Plan, trace: Trace) -> None:
        self.seen.update(step.operation.order for step in trace.steps)
        if trace.batch is not None:
            self.seen |= trace.batch.orders

    def save(self) -> list[int]:
        return sorted(self.seen)

    def load(self, saved: list[int]) -> None:
        self.seen = set(saved)


class Excuses:
    """Did annotations of the program keep accesses from being checked?"""

    def __init__(self) -> None:
        self.seen = False

    def executed(self, explorer: Explorer, plan: Plan, trace: Trace) -> None:
        self.seen |= trace.end.excused

    def save(self) -> bool:
        return self.seen

    def load(self, saved: bool) -> None:
        self.seen = saved


class OldValues:
    """Did weak memory make a difference (Trace.weak)?"""

    def __init__(self) -> None:
        self.seen = 0

    def executed(self, explorer: Explorer, plan: Plan, trace: Trace) -> None:
        self.seen |= trace.weak

    def save(self) -> int:
        return self.seen

    def load(self, saved: int) -> None:
        self.seen = saved


class Interchanged:
    """Which threads were taken as interchangeable (Trace.interchanged)?"""

    def __init__(self) -> None:
        self.seen = 0

    def executed(self, explorer: Explorer, plan: Plan, trace: Trace) -> None:
        self.seen |= trace.interchanged

    def save(self) -> int:
        return self.seen

    def load(self, saved: int) -> None:
        self.seen = saved


class OfferedSoFar:
    """What steps had beside going on (Trace.offered)."""

    def __init__(self) -> None:
        self.seen = Offered()

    def executed(self, explorer: Explorer, plan: Plan, trace: Trace) -> None:
        self.seen |= trace.offered

    def save(self) -> dict[str, int]:
        return asdict(self.seen)

    def load(self, saved: dict[str, int]) -> None:
        self.seen = Offered(bool(saved["inputs"]), bool(saved["assumptions"]), saved["met"], saved["refused"])


class Contradictions:
    """Did a thread do something else than its causal past had told (known steps)?"""

    def __init__(self, site: int | None) -> None:
        self.site = site  # of the operation after which it did; 0: unknown

    def executed(self, explorer: Explorer, plan: Plan, trace: Trace) -> None:
        if trace.batch is not None and self.site is None:
            self.site = next((tree.contradicted_at for tree in trace.batch.trees if tree.contradicted_at is not None), None)

    def save(self) -> int | None:
        return self.site

    def load(self, saved: int | None) -> None:
        self.site = saved


class ShowOutput:
    """Every execution's output, as it comes (`--show-output`)."""

    def __init__(self, write: Callable[[bytes], None]) -> None:
        self._write = write

    def executed(self, explorer: Explorer, plan: Plan, trace: Trace) -> None:
        self._write(trace.end.stdout + trace.end.stderr)
