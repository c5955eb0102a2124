"""Several searches on one program, one after the other, and what each needed: one Row per search and bound.

Invariant: every row is made in the same way: nothing stops at a bug, time is the search's and the program's together, and a search that
does not know a bound is run once, without one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager

from bpor.errors import UsageError
from bpor.lazy_dataclass import dataclass, field
from bpor.model.executor import Executor
from bpor.model.plan import Plan
from bpor.model.trace import Trace
from bpor.search.bounds.bound import NONE, Bound
from bpor.search.budget import Budget
from bpor.search.explorer import Explorer
from bpor.search.options import SearchOptions
from bpor.search.registry import SEARCHES, TRYING, make_strategy
from bpor.search.strategy import Strategy
from bpor.search.tally import Counts

_GROWTH = 1.15  # between two points of a curve: enough for a plot on any scale


@dataclass(frozen=True, slots=True)
class Point:
    """How far a search was at one moment."""

    seconds: float
    executions: int
    local_states: int
    distinct_traces: int


@dataclass(frozen=True, slots=True)
class Row:
    search: str
    bound: Bound
    counts: Counts
    executions: int  # counts.asked included
    seconds: float
    finished: bool
    failing: int  # executions that ended in a bug
    first_failure: int | None  # the number of the first one
    first_failure_seconds: float | None
    curve: tuple[Point, ...] = field(default=(), repr=False)


@dataclass(frozen=True, slots=True)
class Request:
    """What is to be compared on what, and how long each may take."""

    searches: tuple[str, ...]
    bound: Bound = NONE
    options: SearchOptions = SearchOptions()
    seed: int = 0
    max_executions: int | None = None
    max_seconds: float | None = None
    max_findings: int | None = None


Open = Callable[[], AbstractContextManager[Executor]]


def compare(open_executor: Open, request: Request) -> Iterator[Row]:
    """Rows as they are ready. Raises UsageError for a search that does not exist before anything is run."""
    wanted = [(name, level) for name in request.searches for level in _levels(name, request)]
    for name, level in wanted:
        with open_executor() as executor:
            yield run_one(executor, name, level, request)


def run_one(executor: Executor, name: str, level: Bound, request: Request) -> Row:
    strategy = make_strategy(name, level, request.options, request.seed)
    notes = _Notes(name)
    budget = Budget(request.max_executions, request.max_seconds, request.max_findings)
    result = Explorer(executor, strategy, budget, (notes,)).run()
    return Row(
        name,
        level,
        result.counts,
        result.executions,
        result.seconds,
        result.exhausted,
        result.failing,
        notes.first_failure,
        notes.first_failure_seconds,
        (*notes.curve, _point(strategy, result.seconds, result.executions)),
    )


def split_searches(text: str) -> tuple[str, ...]:
    """`bpor,best-first:method:push+pb,dfs`: within one name, + stands for the comma of its priorities."""
    names = tuple(name.strip().replace("+", ",") for name in text.split(","))
    for name in names:
        if name.partition(":")[0] not in SEARCHES:
            raise UsageError(f"there is no search {name!r}; the searches are {', '.join(SEARCHES)}")
    return names


def _levels(name: str, request: Request) -> Iterable[Bound]:
    """The levels of the bound that a search knows; else none, once."""
    levels = list(request.bound.levels())
    try:
        make_strategy(name, levels[0], request.options, request.seed)
    except UsageError:
        make_strategy(name, NONE, request.options, request.seed)  # raises if it is not the bound's fault
        return [NONE]
    return levels


class _Notes:
    """Watches a search: points of its curve, and its first failure."""

    def __init__(self, search: str) -> None:
        self._search = search
        self.curve: list[Point] = []
        self.first_failure: int | None = None
        self.first_failure_seconds: float | None = None
        self._next = 1.0

    def executed(self, explorer: Explorer, plan: Plan, trace: Trace) -> None:
        if self._search not in TRYING and (trace.offered.anything or any(step.alternatives > 1 for step in trace.steps)):
            tries = ",".join(name for name in SEARCHES if name in TRYING)
            raise UsageError(f"{self._search} would try one alternative only of a step that has several; those that try all: {tries}")
        if explorer.failing and self.first_failure is None:
            self.first_failure, self.first_failure_seconds = explorer.executions, explorer.seconds
        if explorer.executions >= self._next:
            self._next = max(self._next * _GROWTH, self._next + 1)
            self.curve.append(_point(explorer.strategy, explorer.seconds, explorer.executions))


def _point(strategy: Strategy, seconds: float, executions: int) -> Point:
    counts = strategy.counts
    return Point(seconds, executions, counts.local_states, counts.distinct_traces)
