"""A comparison of searches as a table for a terminal, as Markdown and as a plot."""

from __future__ import annotations

from collections.abc import Sequence

from bpor.report.plot import Axis, lines
from bpor.search.comparison import Row

HEADINGS = ("search", "bound", "executions", "redundant", "over bound", "traces", "local states", "seconds", "first bug", "")


def cells(row: Row) -> tuple[str, ...]:
    counts = row.counts
    return (
        row.search,
        str(row.bound),
        f"{row.executions}" if row.finished else f">{row.executions}",
        str(counts.redundant + counts.asked),
        str(counts.over_bound),
        f"{'~' * counts.traces_estimated}{counts.distinct_traces}",
        f"{'~' * counts.states_estimated}{counts.local_states}",
        f"{row.seconds:.2f}",
        "-" if row.first_failure is None else str(row.first_failure),
        _remark(row),
    )


def _remark(row: Row) -> str:
    if row.counts.cut:
        return f"{row.counts.cut} executions cut"
    return "" if row.finished else "not finished"


def table_lines(rows: Sequence[Row]) -> list[str]:
    """Columns as wide as they must be; numbers to the right."""
    table = [HEADINGS, *(cells(row) for row in rows)]
    widths = [max(len(line[column]) for line in table) for column in range(len(HEADINGS))]
    return ["  ".join(_padded(text, column, widths[column]) for column, text in enumerate(line)).rstrip() for line in table]


def _padded(text: str, column: int, width: int) -> str:
    return text.rjust(width) if 2 <= column < len(HEADINGS) - 1 else text.ljust(width)


def comparison_plot(title: str, rows: Sequence[Row]) -> str:
    """SVG: how many local states each search had reached by when."""
    curves: dict[str, list[tuple[float, float]]] = {}
    for row in rows:
        name = f"{row.search} {'' if row.bound.is_none else row.bound}".rstrip()
        curves[name] = [(max(point.seconds, 1e-3), float(point.local_states)) for point in row.curve]
    return lines(title, Axis("seconds", log=True), Axis("local states reached"), curves)
