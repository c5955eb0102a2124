"""With a table of known steps the search reaches what brute force reaches, from hardly more executions than there are traces."""

from __future__ import annotations

import pytest

from bpor.simulate.oracle import Oracle
from bpor.simulate.program import Program
from bpor.simulate.programs import (
    file_system,
    indexer,
    last_zero,
    lost_update,
    philosophers,
    readers_and_writer,
    work_stealing_queue,
)
from tests.property.soak_known_steps import KNOWN, attempt
from tests.property.trial import search

# program, preemption bound, traces within it
TRACES: list[tuple[Program, int, int]] = [
    *((philosophers(7, ordered=True), bound, 126) for bound in (1, 2, 3)),
    *((philosophers(8), bound, traces) for bound, traces in ((0, 254), (1, 255), (2, 255))),
    *((work_stealing_queue(2, 2, 2), bound, traces) for bound, traces in ((1, 13), (2, 32), (3, 47))),
    (last_zero(4), 2, 28),
    (file_system(15), 2, 4),
    *((indexer(13), bound, traces) for bound, traces in ((1, 20), (2, 44))),
    (lost_update(3), 2, 360),
    (readers_and_writer(4), 2, 16),
]


@pytest.mark.parametrize("seed", range(1, 41))
def test_nothing_is_lost_where_steps_are_known(seed: int) -> None:
    trial = attempt(seed)
    assert trial is None or not trial.lost


@pytest.mark.parametrize(("program", "bound", "traces"), TRACES, ids=lambda value: getattr(value, "name", str(value)))
def test_each_trace_within_a_bound_is_executed_once(program: Program, bound: int, traces: int) -> None:
    found = search(Oracle(program), f"preemption:{bound}", KNOWN, max_executions=2_000)
    assert found.result.counts.distinct_traces == traces
    counts = found.result.levels[-1].counts
    assert counts.executions - counts.checked <= traces + 1 and counts.checked <= 1 + traces / 32
