"""Progress: the numbers of the search, in one line, now and then."""

from __future__ import annotations

import io
import re
from types import SimpleNamespace
from typing import Any

from bpor.lazy_dataclass import replace
from bpor.model.exploration import Batch, Told, TreeTold
from bpor.model.plan import Plan
from bpor.model.trace import End, Outcome, Trace
from bpor.report.coverage_curve import MOST, CoverageCurve
from bpor.report.progress import Progress, ShowProgress, progress_of
from bpor.search.bounds import parse_bound
from bpor.search.budget import Budget
from bpor.search.estimate import Estimate
from bpor.search.explorer import Explorer
from bpor.search.registry import make_strategy
from bpor.simulate.executor import SimulatedExecutor
from bpor.simulate.programs import philosophers


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        self.now += 1.0
        return self.now


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def run(stream: io.StringIO, seconds: float | None = 1e9) -> str:
    clock = Clock()
    with ShowProgress(stream, clock) as progress:
        strategy = make_strategy(None, parse_bound("preemption:1"))
        Explorer(SimulatedExecutor(philosophers(3)), strategy, Budget(None, seconds, None, clock), [progress]).run()
    return stream.getvalue()


def test_a_plain_line_every_few_seconds_without_escape_sequences() -> None:
    lines = run(io.StringIO()).splitlines()
    assert 2 <= len(lines) <= 15
    assert all("\x1b" not in line for line in lines)
    assert "bound preemption:1" in lines[0] and "executions" in lines[0] and "left" in lines[0]


def test_a_terminal_gets_one_line_that_is_gone_at_the_end() -> None:
    text = run(Terminal())
    assert "\x1b[?25h" in text  # the cursor is shown again
    assert text.rstrip().endswith("\x1b[2K")  # and the line is wiped


def test_without_a_budget_no_time_is_left() -> None:
    assert "left" not in run(io.StringIO(), None)


def test_the_line_says_everything() -> None:
    progress = Progress(1234, 56.7, "fair:2,preemption:1", 67, 1, Estimate(1000, 2000, 30_000), 500, 3725)
    assert str(progress) == (
        "1,234 executions, 57/s, bound fair:2,preemption:1, depth 67, 1 finding, 25% of about 2,000 (1,000 to 30,000), 1:02:05 left"
    )


def test_an_estimate_that_is_not_worth_saying_is_not_said() -> None:
    """Most of a tree that has hardly been seen, or of a size that may be anything, is no news; nor is 1e+300 a number to read."""
    for estimate in (Estimate(1e300, 1e300, 1e300), Estimate(3e19, 3e19, 3e19), Estimate(10, 2000, 1e9), Estimate(0, 0, 0)):
        assert str(Progress(1, 1.0, "none", 3, 0, estimate, 500, None)) == "1 execution, 1/s, bound none, depth 3, 0 findings"
    large = Progress(2, 1.0, "none", 3, 0, Estimate(9e6, 9.6e6, 12e6), 1_000_000, None)
    assert str(large).endswith("0 findings, 10% of about 10 million (9 million to 12 million)")


def test_the_rate_is_that_of_this_process() -> None:
    """A search that goes on with another's does not count the executions of before as its own."""
    clock = Clock()
    explorer = Explorer(SimulatedExecutor(philosophers(3)), make_strategy(None, parse_bound("none")), Budget(None, None, None, clock))
    explorer.run()
    trace = SimulatedExecutor(philosophers(3)).run(Plan())
    all_of_it = progress_of(explorer, trace, 0).rate
    assert progress_of(explorer, trace, explorer.executions - 1).rate < all_of_it


def test_the_curve_of_a_long_search_has_few_points_and_keeps_its_ends() -> None:
    clock = Clock()
    curve = CoverageCurve()
    Explorer(SimulatedExecutor(philosophers(4)), make_strategy(None, parse_bound("none")), Budget(None, None, None, clock), [curve]).run()
    points = curve.points
    assert 2 <= len(points) <= MOST + 1
    assert list(points) == sorted(points) and points[0].executions == 1


def test_a_first_batch_counts_whole_and_a_search_that_goes_back_to_what_was_saved_is_not_faster_than_nothing() -> None:
    """A cluster whose worker was lost showed -9,541/s."""
    stream = io.StringIO()
    progress = ShowProgress(stream, Clock())
    progress._every = progress._due = 0.0
    empty = Batch(500, {}, 0, Told(), (TreeTold(), TreeTold()))
    trace = Trace(End(Outcome.STOPPED), (), batch=replace(empty, others=(Trace(End(Outcome.STOPPED), (), batch=empty),)))
    for executions in (1000, 2000, 1600, 1000, 2000):
        budget, strategy = SimpleNamespace(elapsed=10.0, max_seconds=None), SimpleNamespace(levels=lambda: [])
        searched: Any = SimpleNamespace(executions=executions, budget=budget, strategy=strategy, failing=0)
        progress.executed(searched, Plan(), trace)
    assert re.findall(r"(-?\d+)/s", stream.getvalue()) == ["100", "200", "160", "100", "200"]
