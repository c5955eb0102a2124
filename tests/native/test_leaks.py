"""Thousands of executions leave nothing behind: descriptors, processes, files and memory, in the controller and in the target.

BPOR_TEST_EXECUTIONS sets how many (5000 for a soak; 300 otherwise).
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import psutil
import pytest

from benchmarks.endurance import endure
from bpor.model.plan import Plan
from bpor.model.trace import Outcome
from bpor.target.executor import NativeExecutor
from tests.native.tool import run_tool

EXECUTIONS = int(os.environ.get("BPOR_TEST_EXECUTIONS", "300"))
WARM_UP = 60  # caches fill, the allocator settles
GROWTH = 1 << 20  # bytes: far below what 100 bytes a step would add up to in a soak, far above noise


@dataclass(frozen=True)
class Footprint:
    """What the controller (our own process) and its children hold."""

    descriptors: tuple[int, ...]
    processes: int
    files: tuple[str, ...]
    shared_memory: frozenset[str]
    memory: tuple[int, ...]

    @staticmethod
    def now(temporary: Path) -> Footprint:
        me = psutil.Process()
        everyone = [me, *me.children(recursive=True)]
        files = sorted(str(path.relative_to(temporary)) for path in temporary.rglob("*"))
        shared = frozenset(name for name in os.listdir("/dev/shm") if "bpor" in name)
        return Footprint(
            tuple(one.num_fds() for one in everyone), len(everyone), tuple(files), shared, tuple(one.memory_info().rss for one in everyone)
        )


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Everything temporary goes here, so that other people's files do not count."""
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr(tempfile, "tempdir", None)
    return tmp_path


PASSING_OR_NOT = [
    ("buggy/deadlock/bank.c", ((), (0, 0, 1, 2)), {Outcome.PASSED, Outcome.DEADLOCK}),
    ("buggy/crash/use_after_free.c", ((), (0, 0, 2, 2)), {Outcome.PASSED, Outcome.CRASH}),
    ("correct/process/leaves_a_file.c", ((),), {Outcome.PASSED}),
    ("correct/process/returns_while_others_run.c", ((), (0, 1)), {Outcome.PASSED}),
]


@pytest.mark.needs("gcc")
@pytest.mark.parametrize(("name", "prefixes", "outcomes"), PASSING_OR_NOT, ids=[name for name, *_ in PASSING_OR_NOT])
def test_executions_leave_nothing_behind(
    name: str, prefixes: tuple[tuple[int, ...], ...], outcomes: set[Outcome], program: Callable[..., Path], temporary: Path
) -> None:
    plans = [Plan(prefix=prefix) for prefix in prefixes]
    outside = Footprint.now(temporary)
    with NativeExecutor([str(program(name))]) as executor:
        seen = {executor.run(plans[i % len(plans)]).end.outcome for i in range(WARM_UP)}
        early = Footprint.now(temporary)
        for i in range(EXECUTIONS):
            seen.add(executor.run(plans[i % len(plans)]).end.outcome)
        late = Footprint.now(temporary)
    assert seen == outcomes
    assert early.processes == outside.processes + 1, "the template is the only process between two executions"
    assert (late.descriptors, late.processes, late.files, late.shared_memory) == (
        early.descriptors,
        early.processes,
        early.files,
        early.shared_memory,
    )
    assert all(after - before < GROWTH for before, after in zip(early.memory, late.memory, strict=True)), (early.memory, late.memory)
    after = Footprint.now(temporary)
    assert (after.descriptors, after.processes, after.files, after.shared_memory) == (
        outside.descriptors,
        outside.processes,
        outside.files,
        outside.shared_memory,
    )


@pytest.mark.needs("gcc")
@pytest.mark.parametrize("reset", ["rollback", "fork"])
def test_a_search_beside_the_program_takes_no_more_memory_for_more_executions(reset: str, program: Callable[..., Path]) -> None:
    """But for the tables in the mapping that both share, whose size has a limit (benchmarks/endurance.py does a million)."""
    executions = EXECUTIONS * (20 if reset == "rollback" else 2)
    early, late = endure([str(program("correct/mutex/counter.c", "-DTHREADS=6"))], executions, reset)
    assert (early["executions"], late["executions"]) == (executions // 10, executions)
    for who in ("controller", "target"):
        assert late[who]["own_kib"] - early[who]["own_kib"] < GROWTH >> 10, (early, late)


@pytest.mark.needs("gcc")
@pytest.mark.parametrize("name", ["buggy/deadlock/bank.c", "correct/process/leaves_a_file.c"])
def test_a_run_of_the_tool_leaves_no_temporary_file(name: str, program: Callable[..., Path], temporary: Path) -> None:
    run = run_tool(program(name), options=["--bound", "preemption:1"])
    assert run.exit_code == (1 if "buggy" in name else 0), run
    assert list(temporary.iterdir()) == []
