"""Optimal search within a preemption bound: each trace within it is executed once, and nothing that brute force reaches is missed."""

from __future__ import annotations

import pytest

from bpor.errors import UsageError
from bpor.search.options import SearchOptions
from bpor.simulate.executor import SimulatedExecutor
from bpor.simulate.program import Program
from bpor.simulate.programs import (
    file_system,
    indexer,
    last_zero,
    lost_update,
    mutex_counter,
    philosophers,
    readers_and_writer,
    work_stealing_queue,
)
from tests.property.soak_searches import attempt_within
from tests.property.trial import explore_named

OPTIONS = SearchOptions(engine="library", max_steps=400)
# program, and its traces within 0, 1, 2 and 3 preemptions: the same in two or three independent tools
TRACES: list[tuple[Program, tuple[int, ...]]] = [
    (lost_update(2), (2, 8, 22, 32)),
    (lost_update(3), (6, 60, 360)),
    (mutex_counter(2), (2, 4, 6, 6)),
    (mutex_counter(3), (6, 24, 60, 90)),
    (mutex_counter(4), (24, 168)),
    (readers_and_writer(4), (16, 16, 16, 16)),
    (philosophers(4), (14, 15, 15, 15)),
    (philosophers(5, ordered=True), (30, 30, 30, 30)),
    (work_stealing_queue(2, 2, 2), (2, 13, 32, 47)),
    (last_zero(4), (28, 28, 28)),
    (indexer(13), (4, 20, 44)),
    (file_system(15), (4, 4, 4)),
]


@pytest.mark.parametrize(("program", "traces"), TRACES, ids=lambda value: getattr(value, "name", ""))
def test_each_trace_within_a_preemption_bound_is_executed_once(program: Program, traces: tuple[int, ...]) -> None:
    """Beside them at most one that shows that the bound matters, one that tells whether a thread can go on, and the spot checks."""
    for bound, expected in enumerate(traces):
        counts = explore_named(SimulatedExecutor(program), "optimal", f"preemption:{bound}", OPTIONS).levels[-1].counts
        assert counts.distinct_traces == expected, bound
        assert counts.executions - counts.checked <= expected + 2 and counts.checked <= 1 + expected / 40, bound


def test_random_programs_show_all_that_lies_within_the_bound_and_each_trace_once() -> None:
    """Barriers, locks for readers and waits that time out are executed to see who can go on: of those only what is missed counts."""
    problems = [attempt_within(seed) for seed in range(1, 60)]
    assert problems.count("") > 30
    assert not any(problems)


@pytest.mark.parametrize(
    ("search", "bound", "engine", "reason"),
    [
        ("optimal:stride", "preemption:1", "library", "optimal:stride takes no bound"),
        ("optimal", "context:2", "library", "goes with the bounds preemption and fair"),
        ("optimal", "preemption:1", "python", "in C alone, beside the program"),
    ],
)
def test_what_it_does_not_know_is_refused(search: str, bound: str, engine: str, reason: str) -> None:
    with pytest.raises(UsageError, match=reason):
        explore_named(SimulatedExecutor(lost_update(2)), search, bound, SearchOptions(engine=engine))
