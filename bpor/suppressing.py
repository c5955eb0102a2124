"""Known bugs during a search (`--suppressions`): a failing execution that a line matches is set aside, and the search goes on.

Invariant: an execution is judged by its own stacks, never by those of one that looks alike; the verdict names every line that was used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from bpor.confirmation import WidenedExecutor, finding_of, plan_of
from bpor.errors import Diverged
from bpor.model.plan import Plan
from bpor.model.trace import Description, End, Outcome, Trace
from bpor.report.finding import Finding
from bpor.search.explorer import Explorer
from bpor.search.result import Failure
from bpor.settings import Settings

if TYPE_CHECKING:
    from bpor.report.suppressions import Suppression


class Suppressing:
    """An observer: it takes known failures out of the explorer's list before the budget counts them."""

    def __init__(self, suppressions: tuple[Suppression, ...], settings: Settings) -> None:
        self._suppressions, self._settings = suppressions, settings
        self._executor: WidenedExecutor | None = None
        self._judged: dict[int, Failure] = {}  # the explorer's failures that stay, by id
        self._known: dict[object, str | None] = {}  # by every address that a finding is matched by
        self._by_end: dict[object, str] = {}  # by where the failing thread stood, which every failing execution tells by itself
        self.counts: dict[str, int] = {}  # line -> executions
        self.findings: dict[str, Finding] = {}  # one example of each
        self.passable: list[Failure] = []  # races and misuses that are known: executions can go on behind them
        self._behind: set[str] = set()  # their lines

    def attach(self, executor: WidenedExecutor) -> None:
        self._executor = executor

    def executed(self, explorer: Explorer, plan: Plan, trace: Trace) -> None:
        if not self._suppressions:
            return
        from bpor.search.failures import MAX_KEPT

        for failure in [one for one in explorer.failures if id(one) not in self._judged]:
            line = self._line(failure)
            if line is None:
                self._judged[id(failure)] = failure
            else:
                explorer.failures.remove(failure)
                if _can_go_on(failure.trace.end) and len(self.passable) < MAX_KEPT:
                    self.passable.append(failure)
                    self._behind.add(line)
                self.counts[line] = self.counts.get(line, 0) + 1

    def _line(self, failure: Failure) -> str | None:
        assert self._executor is not None
        end = _end(failure.trace.end)
        if end in self._by_end:
            return self._by_end[end]
        try:
            trace, description = self._executor.describe(plan_of(failure.schedule, self._settings))
        except Diverged:
            return None  # confirmation will say so
        key = _addresses(trace, description)
        if key not in self._known:
            finding = finding_of(trace, description)
            from bpor.report.suppressions import matching

            found = matching(finding, self._suppressions) if finding is not None else None
            self._known[key] = found.text if found is not None else None
            if finding is not None and found is not None:
                self.findings.setdefault(found.text, finding)
                if found.matches_end(finding) and self._is_first(found):
                    self._by_end[end] = found.text
        return self._known[key]

    def _is_first(self, line: Suppression) -> bool:
        """Of its kind: no other line can be the first that matches."""
        return next(one for one in self._suppressions if one.kind is line.kind) is line

    @property
    def unused(self) -> tuple[str, ...]:
        return tuple(one.text for one in self._suppressions if one.text not in self.counts)

    def remember(self, earlier: Suppressing) -> None:
        """Lines that an earlier search used, and behind which this one went on."""
        self._behind |= earlier._behind
        self.counts = {**dict.fromkeys(sorted(self._behind), 0), **self.counts}
        self.findings = {**earlier.findings, **self.findings}

    def save(self) -> dict[str, int]:
        return dict(self.counts)

    def load(self, saved: dict[str, int]) -> None:
        self.counts = dict(saved)


def _can_go_on(end: End) -> bool:
    """A misuse has a name if its step did nothing else."""
    return end.outcome is Outcome.RACE or (end.outcome is Outcome.MISUSE and end.object != 0)


def _end(end: End) -> object:
    return end.outcome, end.code, end.message, end.stack, end.other_stack


def _addresses(trace: Trace, description: Description) -> object:
    """All that a pattern can look at: how it ended, and each thread's last stack. Equal keys mean equal names."""
    last: dict[int, tuple[int, tuple[int, ...]]] = {}
    for (thread, number), stack in description.stacks.items():
        if thread not in last or last[thread][0] < number:
            last[thread] = number, stack
    stacks = tuple(sorted((thread, stack) for thread, (_, stack) in last.items()))
    held = tuple(sorted(description.held))
    taken = tuple((step.thread, step.operation.kind, step.operation.site) for step in trace.steps)
    return trace.end.outcome, trace.end.code, trace.end.message, trace.end.stack, trace.end.other_stack, stacks, held, frozenset(taken)
