"""Coverage against time as a bound grows, for every bound of the dissertation (its Figures 3.1 and 8.1 to 8.4, 6 and 7 of BPOR 2013),
and how often a search comes to a local state that it knows (8.5 to 8.8)."""

from __future__ import annotations

from dataclasses import dataclass

from benchmarks.paper.native import HERE, NO_OPTIONS, OPTIONS, compiled, measure
from bpor.report.plot import Axis, lines, side_by_side
from bpor.search.comparison import Row
from bpor.search.options import SearchOptions

PLAIN, BPOR, OPTIMISED = "no reduction", "BPOR", "BPOR optimised"
UNBOUNDED = {"DPOR": NO_OPTIONS, "DPOR optimised": OPTIONS}


@dataclass(frozen=True, slots=True)
class Panel:
    """One bound, growing. `{}` stands for its value."""

    bound: str
    values: tuple[int, ...]
    plain: str | None = "dfs"  # the search without reduction within it, if there is one

    @property
    def variants(self) -> dict[str, tuple[str, SearchOptions]]:
        plain = {PLAIN: (self.plain, OPTIONS)} if self.plain is not None else {}
        return {**plain, BPOR: ("bpor", NO_OPTIONS), OPTIMISED: ("bpor", OPTIONS)}

    @property
    def name(self) -> str:
        return self.bound.replace(":{}", "").replace(",", " and ")


PREEMPTION = Panel("preemption:{}", (0, 1, 2, 3, 4, 5))
CONTEXT = Panel("context:{}", (2, 4, 6, 8, 10, 12, 14), None)
DELTA = Panel("delta:{}", (0, 1, 2, 3, 4, 6, 8), "delay")
LOCAL_CONTEXT = Panel("local-context:{}", (1, 2, 3, 4, 6, 8, 10), None)
LOCAL_DEPTH = Panel("local-depth:{}", (4, 8, 12, 16, 20, 24, 32, 40), None)
FAIR = Panel("fair:{}", (0, 1, 2, 3))
FAIR_PREEMPTION = Panel("fair:2,preemption:{}", (0, 1, 2, 3))
FAIR_CONTEXT = Panel("fair:2,context:{}", (2, 4, 6, 8), None)
FAIR_DELTA = Panel("fair:2,delta:{}", (0, 1, 2, 3, 4), None)


@dataclass(frozen=True, slots=True)
class Test:
    name: str
    file: str
    panels: tuple[Panel, ...]
    figures: str  # of the dissertation
    published: str  # what it is there: its name, the transitions of its longest execution, its threads
    instrumented: bool = False
    unbounded: str = "none"  # what DPOR runs within

    @property
    def small(self) -> str:
        """Two preemptions, and what DPOR runs within."""
        return "preemption:2" if self.unbounded == "none" else f"{self.unbounded},preemption:2"

    def compiled(self) -> str:
        return compiled(HERE / f"{self.file}.c", instrumented=self.instrumented)


FIVE = (CONTEXT, PREEMPTION, DELTA, LOCAL_CONTEXT, LOCAL_DEPTH)
TESTS = (
    Test("manual-reset event", "manual_reset_event", FIVE, "8.1, 8.5", "MRSE, 93 steps, 3 threads", instrumented=True),
    Test("FFT", "fft", FIVE, "8.2, 8.6", "Test40n4, 725 steps, 7 threads"),
    Test("fairness", "fairness", (FAIR,), "8.3, 8.7", "Fair, 79 steps, 3 threads", unbounded="fair:4"),
    Test(
        "exceptions",
        "exceptions",
        (CONTEXT, FAIR_CONTEXT, PREEMPTION, FAIR_PREEMPTION, DELTA, FAIR_DELTA),
        "8.4, 8.8",
        "Exception, 127 steps, 3 threads",
    ),
)


@dataclass(frozen=True, slots=True)
class Measured:
    test: Test
    bounded: dict[Panel, dict[str, list[Row]]]  # by variant, one row per value; a variant ends with the first that did not finish
    unbounded: dict[str, Row]
    small: Row  # plain search within a small bound, stopped as soon as it has run more than DPOR without one

    @property
    def states(self) -> int | None:
        """Local states of the whole program, if a search finished that knows."""
        row = self.unbounded["DPOR optimised"]
        return row.counts.local_states if row.finished else None


def coverage(test: Test, most: int) -> Measured:
    program = test.compiled()
    unbounded = {name: measure(program, "dpor", test.unbounded, 10 * most, options) for name, options in UNBOUNDED.items()}
    small = measure(program, "dfs", test.small, unbounded["DPOR optimised"].executions + 1, OPTIONS)
    return Measured(test, {panel: _panel(program, panel, most) for panel in test.panels}, unbounded, small)


def _panel(program: str, panel: Panel, most: int) -> dict[str, list[Row]]:
    rows: dict[str, list[Row]] = {}
    for name, (search, options) in panel.variants.items():
        rows[name] = []
        for value in panel.values:
            rows[name].append(measure(program, search, panel.bound.format(value), most, options))
            if not rows[name][-1].finished:
                break
    return rows


def coverage_plot(measured: Measured) -> str:
    """One panel per bound: how much of the state space was reached, how long it took. Only searches that finished are points."""
    across = Axis("local states" if measured.states is None else "% of the local states")
    level = {name: row.seconds for name, row in measured.unbounded.items() if row.finished}
    panels = []
    for panel, variants in measured.bounded.items():
        points = {name: _points(variants.get(name, []), measured.states) for name in (PLAIN, BPOR, OPTIMISED)}  # one colour for each
        widest = 100.0 if measured.states is not None else max((x for found in points.values() for x, _ in found), default=1.0)
        points |= {name: [(0.0, level[name]), (widest, level[name])] if name in level else [] for name in UNBOUNDED}
        panels.append(lines(f"{measured.test.name}: {panel.name}", across, Axis("seconds", log=True), points))
    return side_by_side(panels)


def redundancy_plot(measured: Measured) -> str:
    panels = []
    for panel, variants in measured.bounded.items():
        points = {
            name: [(float(panel.values[index]), ratio(row)) for index, row in enumerate(rows) if row.finished]
            for name, rows in variants.items()
            if name != PLAIN
        }
        panels.append(lines(f"{measured.test.name}: {panel.name}", Axis("bound"), Axis("visited / unique local states"), points))
    return side_by_side(panels)


def plain_plot(measured: list[Measured]) -> str:
    """Figure 3.1: searches without reduction, within every bound for which there is one, and DPOR."""
    panels = []
    for each in measured:
        series = {panel.name: _points(rows[PLAIN], each.states) for panel, rows in each.bounded.items() if PLAIN in rows}
        unbounded = each.unbounded["DPOR optimised"]
        if unbounded.finished:
            series["DPOR"] = [(0.0, unbounded.seconds), (100.0, unbounded.seconds)]
        across = Axis("local states" if each.states is None else "% of the local states")
        panels.append(lines(each.test.name, across, Axis("seconds", log=True), series))
    return side_by_side(panels)


def coverage_table(measured: Measured) -> list[tuple[str, ...]]:
    """Executions, share of the local states and visited / unique, per bound and variant."""
    names = (PLAIN, BPOR, OPTIMISED)
    table = [("bound", *names)]
    for panel, variants in measured.bounded.items():
        for index, value in enumerate(panel.values):
            rows = [variants[name][index] if name in variants and index < len(variants[name]) else None for name in names]
            if any(rows):
                table.append((panel.bound.format(value), *(_cell(row, measured.states) for row in rows)))
    table += [("none" if measured.test.unbounded == "none" else measured.test.unbounded, name, _cell(row, measured.states), "")
              for name, row in measured.unbounded.items()]  # fmt: skip
    return table


def _points(rows: list[Row], states: int | None) -> list[tuple[float, float]]:
    return [(_share(row, states), max(row.seconds, 1e-3)) for row in rows if row.finished]


def _share(row: Row, states: int | None) -> float:
    return float(row.counts.local_states) if states is None else 100 * row.counts.local_states / states


def _cell(row: Row | None, states: int | None) -> str:
    if row is None:
        return ""
    share = f"{row.counts.local_states} states" if states is None else f"{_share(row, states):.0f} %"
    return f"{'' if row.finished else '>'}{row.executions} · {share} · {ratio(row):.2f}"


def ratio(row: Row) -> float:
    """Steps that were new over local states that were: how often the search came to a local state it knew."""
    return row.counts.steps / max(row.counts.local_states, 1)
