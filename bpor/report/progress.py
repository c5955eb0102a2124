"""Progress of a search: one live line on a terminal, a plain line every few seconds elsewhere. Goes to stderr: stdout is the report's.

Invariant: costs nothing between two refreshes but a look at the clock; the numbers are the search's own.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from types import TracebackType
from typing import TYPE_CHECKING, NamedTuple, TextIO

from bpor.lazy_dataclass import dataclass
from bpor.model.plan import Plan
from bpor.model.trace import Trace
from bpor.report.counted import rough
from bpor.search.bounds.bound import Bound
from bpor.search.engine.beside_tree import AnyTree
from bpor.search.estimate import Estimate
from bpor.search.explorer import Explorer
from bpor.search.strategy import Strategy

if TYPE_CHECKING:
    from rich.live import Live

_LIVE_EVERY = 0.2  # seconds
_PLAIN_EVERY = 5.0
_NEAR, _SPREAD = 200, 100  # an estimate is worth saying from half a percent on, if its ends are no farther apart


@dataclass(frozen=True, slots=True)
class Progress:
    """A search at one moment."""

    executions: int
    rate: float  # per second, in this process
    bound: str  # the level being searched, or the two that take turns
    depth: int  # steps of the last execution
    findings: int
    estimate: Estimate | None  # of the executions that this level takes
    done: int  # executions of this level
    left: float | None  # seconds of the budget; None: none was set

    def __str__(self) -> str:
        parts = [
            f"{self.executions:,} execution{'s' * (self.executions != 1)}",
            f"{self.rate:,.0f}/s",
            f"bound {self.bound}",
            f"depth {self.depth}",
            f"{self.findings} finding{'s' * (self.findings != 1)}",
        ]
        if self.estimate is not None and _is_worth_saying(self.done, self.estimate):
            parts.append(_estimate_text(self.done, self.estimate))
        if self.left is not None:
            parts.append(f"{_clock_text(self.left)} left")
        return ", ".join(parts)


def progress_of(explorer: Explorer, trace: Trace, executions_before: int) -> Progress:
    ahead = _outlook(explorer.strategy)
    first = ahead[0] if ahead else None  # the default search has two, the first of which is nearer its end
    elapsed = explorer.budget.elapsed
    limit = explorer.budget.max_seconds
    return Progress(
        executions=explorer.executions,
        rate=(explorer.executions - executions_before) / elapsed if elapsed > 0 else 0.0,
        bound=" and ".join(str(one.bound) for one in ahead) or "none",
        depth=trace.length,
        findings=explorer.failing,
        estimate=first.estimate if first is not None else None,
        done=first.done if first is not None else 0,
        left=None if limit is None else max(limit - elapsed, 0.0),
    )


class _Outlook(NamedTuple):
    bound: Bound
    done: int  # executions within it
    estimate: Estimate | None


def _outlook(strategy: Strategy) -> list[_Outlook]:
    """What is being searched. Of trees without counting what is distinct in them: that takes long when several processes count."""
    trees: tuple[AnyTree, ...] = getattr(strategy, "open_trees", tuple)()
    if trees:
        return [_Outlook(tree.bound, tree.tally.executions, tree.estimate()) for tree in trees]
    levels = strategy.levels()
    unfinished = [level for level in levels if not level.finished] or list(levels[-1:])
    return [_Outlook(level.bound, level.counts.executions, level.estimate) for level in unfinished]


class ShowProgress:
    """An observer, and the context in which the live line stands."""

    batches = True

    def __init__(self, stream: TextIO, clock: Callable[[], float] = time.monotonic) -> None:
        self._stream = stream
        self._live = _live(stream) if stream.isatty() else None
        self._every = _LIVE_EVERY if self._live is not None else _PLAIN_EVERY
        self._clock = clock
        self._due = clock() + self._every
        self._before: int | None = None  # executions that an earlier process made

    def executed(self, explorer: Explorer, plan: Plan, trace: Trace) -> None:
        before = explorer.executions - trace.executions
        self._before = before if self._before is None else min(self._before, before)  # less: a worker was lost
        if self._clock() < self._due:
            return
        self._due = self._clock() + self._every
        text = str(progress_of(explorer, trace, self._before))
        if self._live is not None:
            self._live.update(text, refresh=True)
        else:
            print(text, file=self._stream, flush=True)

    def __enter__(self) -> ShowProgress:
        if self._live is not None:
            self._live.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None, traceback: TracebackType | None) -> None:
        if self._live is not None:
            self._live.stop()


def _live(stream: TextIO) -> Live:
    from rich.console import Console  # for terminals only: a tenth of the start of the tool
    from rich.live import Live

    return Live(console=Console(file=stream, highlight=False, markup=False, emoji=False), auto_refresh=False, transient=True)


def _is_worth_saying(done: int, estimate: Estimate) -> bool:
    """Something of the tree was seen, and how large it is is known within a power of ten or so. Before that an estimate is noise."""
    return 0 < estimate.expected <= _NEAR * max(done, 1) and estimate.high <= _SPREAD * max(estimate.low, 1.0)


def _estimate_text(done: int, estimate: Estimate) -> str:
    """`45% of about 1,200 (800 to 5,000)`: executions of the bound."""
    share = min(done / estimate.expected, 1.0)
    spread = f" ({rough(estimate.low)} to {rough(estimate.high)})" if estimate.high > estimate.low else ""
    return f"{share:.0%} of about {rough(estimate.expected)}{spread}"


def _clock_text(seconds: float) -> str:
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
