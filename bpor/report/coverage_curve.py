"""CoverageCurve: how far a search had come at each moment, for the page. An observer that looks now and then.

Invariant: at most MOST points, however long the search is: when they are full every second one goes and looks become rarer. What is
seen is the last search, as in the whole report: one that begins again (a race that is to be explored) begins a new curve.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from bpor.model.plan import Plan
from bpor.model.trace import Trace
from bpor.search.explorer import Explorer

MOST = 120
_FIRST_PAUSE = 0.02  # seconds of the search between two looks


class CurvePoint(NamedTuple):
    seconds: float
    executions: int
    findings: int


class CoverageCurve:
    batches = True

    def __init__(self, elapsed: Callable[[Explorer], float] = lambda explorer: explorer.budget.elapsed) -> None:
        self._elapsed = elapsed
        self._points: list[CurvePoint] = []
        self._pause = _FIRST_PAUSE
        self._last: CurvePoint | None = None

    def executed(self, explorer: Explorer, plan: Plan, trace: Trace) -> None:
        point = CurvePoint(round(self._elapsed(explorer), 4), explorer.executions, explorer.failing)
        if self._last is not None and (point.seconds < self._last.seconds or point.executions < self._last.executions):
            self._points, self._pause = [], _FIRST_PAUSE
        self._last = point
        if not self._points or point.seconds - self._points[-1].seconds >= self._pause or point.findings != self._points[-1].findings:
            self._points.append(point)
        if len(self._points) > MOST:
            self._points = self._points[::2]
            self._pause *= 2

    @property
    def points(self) -> tuple[CurvePoint, ...]:
        """The last look included."""
        last = self._last
        return (*self._points, *([last] if last is not None and self._points[-1] != last else []))
