"""Optimal search beside the program runs the executions of the one in Python, in the same order, and counts the same.

`make soak` compares every program of native_tests (BPOR_ENGINE_PROGRAMS=all); the suite takes a few.
"""

from __future__ import annotations

import os
import random
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from bpor.api import check
from bpor.errors import Damaged, EngineUnfit, UsageError
from bpor.model.exploration import ExecutionRecord
from bpor.model.plan import Plan
from bpor.model.trace import Trace
from bpor.report.json_report import to_json
from bpor.search.budget import Budget
from bpor.search.explorer import Explorer
from bpor.search.options import SearchOptions
from bpor.search.registry import make_strategy
from bpor.target.executor import NativeExecutor
from bpor.target.options import TargetOptions
from tests.native.compiled import PROGRAMS, compiled, compiler
from tests.native.engines import Recorder, Recording, Run, difference, random_scripts
from tests.native.expectations import Program
from tests.native.test_engine import compared, starts
from tests.native.test_engine_damage import SCRIBBLE, offset
from tests.native.test_programs import name_of

SCRIPT = Path(__file__).with_name("script.c")
COUNTER = PROGRAMS / "correct" / "mutex" / "counter.c"
TARGET = TargetOptions(watchdog=5)
ALL = os.environ.get("BPOR_ENGINE_PROGRAMS") == "all"
LIMIT = 300 if ALL else 40


class WithoutQuestions(Recorder):
    """An execution that only answers a question is no execution of the search; beside the program it is not recorded."""

    def executed(self, explorer: Explorer, plan: Plan, trace: Trace) -> None:
        if trace.batch is not None or plan.chooser is None or plan.max_steps != len(plan.prefix) + 2:
            super().executed(explorer, plan, trace)


def run(engine: str, argv: list[str], search: str = "optimal") -> Run:
    recorder = WithoutQuestions()
    with Recording(argv, TARGET) if engine == "native" else NativeExecutor(argv, TARGET) as executor:
        strategy = make_strategy(search, None, SearchOptions(engine=engine, max_steps=500))
        result = Explorer(executor, strategy, Budget(max_executions=LIMIT, max_findings=None), [recorder]).run()
    return Run(recorder.seen, result.levels, result)


def both(argv: list[str], search: str = "optimal") -> str | None:
    """How the two differ; None: the search in C does not know the program."""
    try:
        native = run("native", argv, search)
    except EngineUnfit:
        return None
    python = run("python", argv, search)
    # In Python a question that ends in a deadlock is a failing execution as well; the search runs one that ends there anyway.
    return difference(replace(python, result=replace(python.result, failing=native.result.failing)), native)


@pytest.mark.parametrize("seed", range(200 if ALL else 8))
def test_both_engines_run_the_same_executions_of_random_programs(seed: int) -> None:
    source = random.Random(seed)
    assert not both([str(compiled(SCRIPT)), *random_scripts(source)], source.choice(("optimal", "optimal:round-robin")))


@pytest.mark.parametrize(
    "program",
    [pytest.param(one, id=name_of(one), marks=pytest.mark.needs(compiler(one.path))) for one in compared()[:: 1 if ALL else 12]],
)
def test_both_engines_run_the_same_executions_of_every_program(program: Program) -> None:
    defines = program.expectations[0].defines if program.expectations else ()
    executable = compiled(program.path, [*program.flags, *(f"-D{define}" for define in defines)], program.instrumented)
    argv = [str(executable), *program.args]
    if starts(argv):
        assert not both(argv)


def test_it_runs_beside_the_program_and_says_so() -> None:
    result = check([str(compiled(COUNTER))], search="optimal")
    report = to_json(result)
    assert report["engine"] == {"beside_the_program": True, "in_python_because": ""}
    assert result.verdict.kind.value == "pass"
    assert result.search is not None
    assert result.search.counts.executions == result.search.counts.distinct_traces > 1


def test_what_it_does_not_know_is_searched_in_python_and_the_report_says_why() -> None:
    """A timed wait that times out where nobody else can run."""
    result = check([str(compiled(SCRIPT)), "v", "y"], search="optimal")
    assert "optimal search beside the program does not know waits that time out" in to_json(result)["engine"]["in_python_because"]


@pytest.mark.parametrize(("bound", "traces"), [("preemption:0", 6), ("preemption:1", 24), ("preemption:2", 60), ("preemption:0..3", 90)])
def test_each_trace_within_a_preemption_bound_is_executed_once(bound: str, traces: int) -> None:
    """Levels share what they know; the first execution of each is executed all the same."""
    result = check([str(compiled(COUNTER, ["-DTHREADS=3"]))], search="optimal", bound=bound)
    assert result.search is not None and result.search.exhausted
    counts = result.search.counts
    assert counts.distinct_traces == traces and counts.executions - counts.checked <= traces + len(result.search.levels)


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"workers": 2}, "-j 2: --search optimal is run by one process"),
        ({"engine": "python"}, "beside the program alone, where this search cannot be: --engine=python"),
        ({"outcomes": True}, "beside the program alone, where this search cannot be: --outcomes"),
        ({"known_steps": False}, "does not go with --no-known-steps"),
        ({"search": "optimal:stride"}, "takes no bound"),
    ],
)
def test_what_it_does_not_do_within_a_bound_is_said_before_it_starts(options: dict[str, Any], reason: str) -> None:
    with pytest.raises(UsageError, match=reason):
        check([str(compiled(COUNTER))], bound="preemption:1", **{"search": "optimal", **options})


@pytest.mark.parametrize("reset", ["rollback", "fork"])
def test_a_program_that_writes_over_its_tables_is_never_believed(reset: str) -> None:
    with pytest.raises(Damaged):
        check([str(compiled(SCRIBBLE)), offset("stack"), "8"], search="optimal", reset=reset)


def test_records_are_of_executions_only() -> None:
    assert all(isinstance(one, ExecutionRecord) for one in run("native", [str(compiled(COUNTER))]).executions)
