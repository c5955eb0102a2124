"""One program in one mode: what a user is told, and every execution."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from functools import cache
from unittest.mock import patch

from bpor.api import check
from bpor.model.exploration import ExecutionRecord
from bpor.report.verdict import Verdict, VerdictKind
from bpor.search.options import SearchOptions
from bpor.settings import Settings
from bpor.target.census import Census, take_census
from bpor.target.options import TargetOptions
from bpor.target.program import TargetProgram as Inspected
from bpor.target.program import inspect_program
from tests.native.engines import Recorder, run
from tests.native.referee.programs import Program

STEPS = 20_000
_CHOSEN = "a new process for every execution"  # so begins what is said of a mode that the program asked for


@dataclass(frozen=True, slots=True)
class Mode:
    reset: str
    carrier: str
    engine: str = "python"
    workers: int = 1

    def __str__(self) -> str:
        return f"--reset {self.reset} --carrier {self.carrier} --engine {self.engine}{f' -j {self.workers}' * (self.workers > 1)}"


FRESH = Mode("exec", "threads")  # a new process for every execution, kernel threads: the referee
WAYS = (("rollback", "fibers"), ("fork", "fibers"), ("fork", "threads"))
IN_PYTHON = (Mode("exec", "fibers"), *(Mode(*way) for way in WAYS))
BESIDE = tuple(Mode(*way, "native") for way in WAYS)
CREWS = tuple(Mode(*way, "native", 2) for way in WAYS)


@dataclass(frozen=True, slots=True)
class Seen:
    """What one mode says. Text first: it is what a difference is shown by."""

    verdict: str
    findings: tuple[tuple[str, str, str], ...]  # kind, summary, schedule
    levels: tuple[tuple[str, bool, int, int], ...]  # bound, complete, traces, executions
    outcomes: tuple[tuple[bytes, int], ...] = ()  # what was printed, and how often
    executions: tuple[ExecutionRecord, ...] = ()
    whole: bool = False  # a pass of all schedules
    as_asked: bool = False  # nothing was found to be shared, for which the search would have begun again

    def parts(self) -> Iterator[tuple[str, object]]:
        yield from (("verdict", self.verdict), ("findings", self.findings), ("levels", self.levels))


_inspected = cache(inspect_program)


@cache
def _counted(path: str) -> Census:
    return take_census(_inspected(path))


def _census(program: Inspected) -> Census:
    return _counted(program.path)


def _read_once() -> ExitStack:
    """Thousands of searches of the same two files: what they are is looked at once."""
    stack = ExitStack()
    stack.enter_context(patch("bpor.native_target.inspect_program", _inspected))
    stack.enter_context(patch("bpor.target.executor.inspect_program", _inspected))
    stack.enter_context(patch("bpor.native_target.take_census", _census))
    return stack


def look(program: Program, mode: Mode, watchdog: float = 60.0) -> Seen:
    """As the command line does. Outputs and executions can be looked at by the search in Python alone."""
    in_python = mode.engine == "python"
    recorder = Recorder()
    settings = Settings(
        bound=program.bound,
        max_executions=program.most,
        max_steps=STEPS,
        max_time=None,
        keep_going=True,
        known_steps=False,  # only the search beside the program has a table
        watchdog=watchdog,
        fork_at=program.fork_at,
        reset=mode.reset,
        carrier=mode.carrier,
        engine=mode.engine,
        workers=mode.workers,
        outcomes=in_python,
    )
    with _read_once():
        result = check(program.argv, settings, observers=[recorder] if in_python else [])
    levels = () if result.search is None else result.search.levels
    return Seen(
        _without_mode(result.verdict),
        tuple(sorted((one.kind.value, one.summary, str(one.schedule)) for one in result.findings)),
        tuple((str(one.bound), one.complete, one.counts.distinct_traces, one.counts.executions) for one in levels),
        tuple(sorted((one.stdout, one.count) for one in result.outcomes)),
        tuple(recorder.seen),
        result.verdict.kind is VerdictKind.PASS and result.search is not None and all(one.whole for one in levels),
        result.settings == settings,
    )


def _without_mode(verdict: Verdict) -> str:
    """Nor the next command, which names the mode."""
    parts = f"{verdict.kind.value}: {verdict.reason}".split("; ")
    return "; ".join(part for part in parts if not part.startswith(_CHOSEN))


def executions_in(program: Program, mode: Mode, watchdog: float = 60.0) -> tuple[ExecutionRecord, ...]:
    """Every execution of one search, without what a verdict asks for beyond it."""
    target = TargetOptions(watchdog=watchdog, fork_at=program.fork_at, reset=mode.reset, carrier=mode.carrier)
    with _read_once():
        return tuple(run(mode.engine, program.argv, program.bound, program.most, SearchOptions(max_steps=STEPS), target).executions)
