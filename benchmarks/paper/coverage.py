"""Coverage against time as the bound grows, what each optimisation saves, and visited against unique states (after BPOR 2013)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from benchmarks.paper.native import NO_OPTIONS, compiled, measure
from bpor.report.plot import Axis, lines
from bpor.search.comparison import Row
from bpor.search.options import SearchOptions

HERE = Path(__file__).resolve().parent
OPTIONS = SearchOptions(max_steps=2_000)
Variants = dict[str, tuple[str, SearchOptions]]
VARIANTS: Variants = {
    "plain": ("dfs", OPTIONS),
    "BPOR": ("bpor", replace(NO_OPTIONS, max_steps=2_000)),
    "BPOR optimised": ("bpor", OPTIONS),
}


@dataclass(frozen=True, slots=True)
class Test:
    name: str
    file: str
    bounds: tuple[str, ...]
    unbounded: str = "none"  # what DPOR runs within


TESTS = (
    Test("manual-reset event", "manual_reset_event.c", ("preemption:0", "preemption:1", "preemption:2", "preemption:3")),
    Test("FFT, eight threads on one lock", "fft.c", ("preemption:0", "preemption:1")),
    Test("message passing with errors", "exceptions.c", ("preemption:0", "preemption:1", "preemption:2", "preemption:3")),
    Test("fairness microbenchmark", "fairness.c", ("fair:0", "fair:1", "fair:2"), "fair:3"),
)


def coverage(test: Test, seconds: float) -> dict[str, list[Row]]:
    """Rows of each variant, one per bound."""
    program = compiled(HERE / "programs" / test.file)
    rows = {
        name: [measure(program, search, bound, seconds, options) for bound in test.bounds] for name, (search, options) in VARIANTS.items()
    }
    rows["DPOR"] = [measure(program, "dpor", test.unbounded, seconds)]
    return rows


def coverage_plot(test: Test, rows: dict[str, list[Row]]) -> str:
    """One point per bound (with DPOR its curve): how long it took, how many local states were reached."""
    series = {name: [(max(row.seconds, 1e-3), float(row.counts.local_states)) for row in found] for name, found in rows.items()}
    series["DPOR"] = [(max(point.seconds, 1e-3), float(point.local_states)) for point in rows["DPOR"][0].curve]
    return lines(test.name, Axis("seconds", log=True), Axis("local states reached", log=True), series)


def coverage_table(rows: dict[str, list[Row]]) -> list[tuple[str, ...]]:
    table = [("search", "bound", "executions", "local states", "seconds", "visited / unique")]
    for name, found in rows.items():
        for row in found:
            unfinished = "" if row.finished else ">"
            table.append(
                (name, str(row.bound), f"{unfinished}{row.executions}", str(row.counts.local_states), f"{row.seconds:.2f}", ratio(row))
            )
    return table


def ratio(row: Row) -> str:
    """Steps that were new over local states that were: how often the search came to a local state it knew."""
    return f"{row.counts.steps / max(row.counts.local_states, 1):.2f}"


Switch = Callable[[SearchOptions], SearchOptions]
SWITCHES: dict[str, Switch] = {
    "nothing": lambda options: options,
    "transitive reduction": lambda options: replace(options, transitive_reduction=True),
    "bound optimisation": lambda options: replace(options, bound_optimisation=True),
    "sleep sets": lambda options: replace(options, sleep_sets=True),
    "all three": lambda options: replace(options, transitive_reduction=True, bound_optimisation=True, sleep_sets=True),
}


def switches(seconds: float) -> list[tuple[str, ...]]:
    """Each optimisation alone, on programs where some of them matter."""
    root = HERE.parents[1] / "native_tests"
    programs = {
        "manual-reset event": (compiled(HERE / "programs" / "manual_reset_event.c"), "preemption:2"),
        "message passing": (compiled(HERE / "programs" / "exceptions.c"), "preemption:2"),
        "philosophers 4": (compiled(root / "buggy" / "deadlock" / "philosophers.c", "-DN=4"), "preemption:2"),
        "fairness": (compiled(HERE / "programs" / "fairness.c"), "fair:0"),
    }
    table = [("switched on", *(f"{name}, {bound}" for name, (_, bound) in programs.items()))]
    for name, switch in SWITCHES.items():
        options = switch(replace(NO_OPTIONS, max_steps=2_000))
        rows = [measure(program, "bpor", bound, seconds, options) for program, bound in programs.values()]
        table.append((name, *(f"{'' if row.finished else '>'}{row.executions}" for row in rows)))
    return table
