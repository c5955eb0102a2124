"""The curve of the page: what a search had done at each moment."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from bpor.report.coverage_curve import CoverageCurve


def test_a_search_that_begins_again_begins_a_new_curve() -> None:
    curve = CoverageCurve(elapsed=lambda explorer: explorer.seconds)  # type: ignore[attr-defined]
    looks = [(0.1, 1, 0), (0.3, 2, 1), (0.05, 3, 0), (0.2, 4, 1)]  # the second search begins with the third look
    for seconds, executions, failing in looks:
        explorer: Any = SimpleNamespace(seconds=seconds, executions=executions, failing=failing)
        curve.executed(explorer, None, None)  # type: ignore[arg-type]
    assert [tuple(point) for point in curve.points] == [(0.05, 3, 0), (0.2, 4, 1)]
