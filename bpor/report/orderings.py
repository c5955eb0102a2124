"""A finding as orderings between places of the source: `transfer:40#1` of one thread before `transfer:41#1` of another.

A schedule counts steps, so an edit anywhere in the program can make it another one. Orderings name what matters (the happens-before
edges) by thread, function and occurrence, so they survive a rebuild in which these stayed. Invariant: an execution that keeps them
all is equivalent to the recorded one; keeping those that still mean something is as near as a changed program can come.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from bpor.lazy_dataclass import dataclass
from bpor.model.operation import Operation
from bpor.model.plan import State
from bpor.model.policy import threads_in
from bpor.model.step import Step
from bpor.model.trace import Description, Trace
from bpor.report.causes import causes_of
from bpor.report.finding import SourceSite
from bpor.report.names import Names

Locate = Callable[[Operation], SourceSite | None]


@dataclass(frozen=True, slots=True)
class OrderedEvent:
    """The n-th time that a thread did an operation in a function. The line is for readers: edits above it move it."""

    thread: str  # "0.1": the second thread that main created
    function: str
    op: str
    occurrence: int
    line: int = 0

    @property
    def key(self) -> tuple[str, str, str, int]:
        return self.thread, self.function, self.op, self.occurrence

    def __str__(self) -> str:
        return f"{self.function or '?'}:{self.line}#{self.occurrence}"


@dataclass(frozen=True, slots=True)
class Ordering:
    before: OrderedEvent
    after: OrderedEvent


def locate_by(description: Description) -> Locate:
    names = Names(description)
    known: dict[int, SourceSite | None] = {}

    def locate(operation: Operation) -> SourceSite | None:
        if operation.site not in known:
            known[operation.site] = next(iter(names.stack((operation.site,) if operation.site else ())), None)
        return known[operation.site]

    return locate


def orderings_of(trace: Trace, locate: Locate) -> tuple[Ordering, ...]:
    """Every direct happens-before edge between threads, and what the blocked threads were too late for."""
    causes = causes_of(trace)
    progress = _Progress(locate)
    events = []
    for step in trace.steps:
        events.append(progress.next_of(step.thread, step.operation))
        progress.took(step)
    edges = [(cause, events[index]) for index, found in enumerate(causes.steps) for cause in found]
    unfinished = {thread: operation for thread, operation in trace.pending().items() if causes.pending.get(thread)}
    edges += [(cause, progress.next_of(thread, unfinished[thread])) for thread in unfinished for cause in causes.pending[thread]]
    return tuple(Ordering(events[cause], after) for cause, after in edges)


class Follow:
    """A chooser that keeps as many orderings as the program allows. `broken` counts the times it had to give one up."""

    def __init__(self, orderings: tuple[Ordering, ...], locate: Locate) -> None:
        self._needs: dict[tuple[str, str, str, int], set[tuple[str, str, str, int]]] = {}
        for ordering in orderings:
            self._needs.setdefault(ordering.after.key, set()).add(ordering.before.key)
        self._progress = _Progress(locate)
        self.broken = 0

    def __call__(self, state: State) -> int:
        if state.step is not None:
            self._progress.took(state.step)
        enabled = list(threads_in(state.enabled))
        kept = [thread for thread in enabled if self._may_run(thread, state.pending[thread])]
        self.broken += not kept
        candidates = kept or enabled
        return state.last if state.last in candidates else candidates[0]

    def _may_run(self, thread: int, operation: Operation) -> bool:
        event = self._progress.next_of(thread, operation)
        return self._needs.get(event.key, set()) <= self._progress.done


class _Progress:
    """Which thread is which, and what each has done, told step by step."""

    def __init__(self, locate: Locate) -> None:
        self.done: set[tuple[str, str, str, int]] = set()
        self._locate = locate
        self._names = {0: "0"}
        self._children: Counter[int] = Counter()
        self._occurrences: Counter[tuple[str, str, str]] = Counter()

    def next_of(self, thread: int, operation: Operation) -> OrderedEvent:
        site = self._locate(operation) or SourceSite()
        name = self._names.get(thread, str(thread))
        occurrence = self._occurrences[name, site.function, operation.kind.text] + 1
        return OrderedEvent(name, site.function, operation.kind.text, occurrence, site.line)

    def took(self, step: Step) -> None:
        event = self.next_of(step.thread, step.operation)
        self.done.add(event.key)
        self._occurrences[event.thread, event.function, event.op] += 1
        for thread in (*(thread for thread, _ in step.announced), *step.finished):
            if thread not in self._names:
                self._names[thread] = f"{self._names.get(step.thread, step.thread)}.{self._children[step.thread]}"
                self._children[step.thread] += 1
