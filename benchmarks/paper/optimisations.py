"""Each optimisation alone, within each bound: where it is small, where half of the states are reached, where it is large (Figures 8.9,
8.10)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from benchmarks.paper.coverage import BPOR, Measured, Panel, ratio
from benchmarks.paper.native import NO_OPTIONS, measure
from bpor.report.plot import bars
from bpor.search.comparison import Row
from bpor.search.options import SearchOptions

Switch = Callable[[SearchOptions], SearchOptions]
SWITCHES: dict[str, Switch] = {
    "none": lambda options: options,
    "transitive reduction": lambda options: replace(options, transitive_reduction=True),
    "release": lambda options: replace(options, release_optimisation=True),
    "bound": lambda options: replace(options, bound_optimisation=True),
    "sleep sets": lambda options: replace(options, sleep_sets=True),
    "all": lambda options: replace(options, transitive_reduction=True, release_optimisation=True, bound_optimisation=True, sleep_sets=True),
}
Ratios = dict[Panel, dict[str, list[tuple[str, Row]]]]  # by switch: bound and row


def levels(measured: Measured, panel: Panel) -> list[str]:
    """The smallest bound, the first that reaches half of the states, and the largest that BPOR finished without any optimisation."""
    rows = [row for row in measured.bounded[panel][BPOR] if row.finished]
    if not rows:
        return []
    half = (measured.states or max(row.counts.local_states for row in rows)) / 2
    middle = next((row for row in rows if row.counts.local_states >= half), rows[len(rows) // 2])
    return list(dict.fromkeys(str(row.bound) for row in (rows[0], middle, rows[-1])))


def switched(measured: Measured, most: int) -> Ratios:
    program, found = measured.test.compiled(), Ratios()
    for panel in measured.test.panels:
        bounds = levels(measured, panel)
        found[panel] = {
            name: [(bound, measure(program, "bpor", bound, most, switch(NO_OPTIONS))) for bound in bounds]
            for name, switch in SWITCHES.items()
        }
    return found


def switch_table(found: Ratios) -> list[tuple[str, ...]]:
    table = [("bound", *SWITCHES)]
    for variants in found.values():
        for index, (bound, _) in enumerate(variants["none"]):
            rows = [variants[name][index][1] for name in SWITCHES]
            table.append((bound, *(f"{'' if row.finished else '>'}{row.executions} · {ratio(row):.2f}" for row in rows)))
    return table


def switch_plot(name: str, found: Ratios) -> str:
    """Visited / unique local states: one panel per bound, at its largest value."""
    largest = {variants["none"][-1][0]: variants for variants in found.values() if variants["none"]}
    panels = {bound: [ratio(variants[switch][-1][1]) for switch in SWITCHES] for bound, variants in largest.items()}
    return bars(f"{name}: visited / unique local states", list(SWITCHES), panels)
