"""check() and replay(): what the command line, the pytest plugin and Python callers ask for. All of it is a thin layer over this file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from bpor.checking import check_target
from bpor.errors import Diverged, OutOfTime, Uncontrolled, UsageError
from bpor.knobs.machine_code import add_modules, leave_alone, machine_code_of
from bpor.lazy_dataclass import replace
from bpor.loaded_code import LoadedCode, MoreCode
from bpor.model.deadline import Deadline
from bpor.model.executor import Executor
from bpor.model.plan import Plan
from bpor.model.schedule import Schedule
from bpor.model.trace import Trace
from bpor.native_target import Elsewhere, controlled_program, native_target, patching_of, trusted_code_of, without_doubtful_races
from bpor.replaying import replay_target
from bpor.report.finding import Finding, FindingKind
from bpor.report.program_names import ProgramNames
from bpor.report.result import Result
from bpor.report.unseen import remedy
from bpor.report.verdict import VerdictKind, of_error
from bpor.search.explorer import Checkpoints, Observer
from bpor.settings import Settings
from bpor.target.census import Census
from bpor.target.python import is_free_threaded, is_python
from bpor.target_options import target_options

if TYPE_CHECKING:
    from bpor.report.orderings import Ordering


def check(
    argv: Sequence[str],
    settings: Settings | None = None,
    *,
    observers: Sequence[Observer] = (),
    checkpoints: Checkpoints | None = None,
    elsewhere: Elsewhere | None = None,
    **knobs: Any,
) -> Result:
    """Runs a program under the schedules within a bound: `check(["./my_test"], bound="fair:2,preemption:2")`.

    Knobs are the fields of Settings. Raises UsageError; a program that cannot be controlled or does not repeat itself is a verdict.
    """
    settings = replace(settings or Settings(), **knobs)
    try:
        settings = _for_program(settings, argv)
        deadline = Deadline(settings.max_time)
        result = _check_patched(argv, settings, deadline, observers, checkpoints, elsewhere)
        if result.verdict.kind is VerdictKind.UNCONTROLLED:
            from bpor.report.openmp import naming_openmp  # hardly any program needs it

            result = naming_openmp(result)
        settings = result.settings
        return replace(result, findings=tuple(_with_orders(finding, argv, settings, deadline) for finding in result.findings))
    except (Uncontrolled, Diverged, OutOfTime) as error:
        return Result(tuple(argv), settings, of_error(error.exit_code, str(error)))


def _check_patched(
    argv: Sequence[str],
    settings: Settings,
    deadline: Deadline,
    observers: Sequence[Observer],
    checkpoints: Checkpoints | None,
    elsewhere: Elsewhere | None,
) -> Result:
    """Never blames the program for our patch: what does not repeat, or does not under another patching, is looked at again without the
    patched module that it happened in, or without any."""
    target = native_target(argv, settings, deadline, elsewhere)
    patches = machine_code_of(settings.machine_code).mode != "off"
    loading = LoadedCode(lambda: _unpatched(target.census, settings) if patches and deadline.left else ())
    try:
        result = check_target(target, settings, (*observers, loading), checkpoints)
        suspect, why = result.suspect, result.verdict.reason
    except MoreCode as more_code:
        return _check_patched(argv, _patching_too(settings, more_code.paths), deadline, observers, None, elsewhere)
    except Diverged as error:
        if not target.doubts.patched:
            raise
        suspect, why = "", str(error)
    else:
        more = _loaded_unpatched(result, settings)
        if more and deadline.left:
            return _check_patched(argv, _patching_too(settings, more), deadline, observers, None, elsewhere)
        if result.verdict.kind is not VerdictKind.NONDETERMINISTIC or not target.doubts.patched:
            return result
    less = leave_alone(settings.machine_code, suspect)
    again = _check_patched(argv, replace(settings, machine_code=less, visible=""), deadline, observers, None, elsewhere)
    what = f"{suspect or 'all of its machine code'} was left unpatched, because patched it did not repeat itself ({why})"
    return replace(again, verdict=again.verdict.after(what, remedy(again.census.unseen, argv[0]) if again.census else ""))


def _loaded_unpatched(result: Result, settings: Settings) -> tuple[str, ...]:
    return () if result.findings or result.interrupted else _unpatched(result.census, settings)


def _unpatched(census: Census | None, settings: Settings) -> tuple[str, ...]:
    """Paths of libraries that the program loaded as it ran, and whose machine code could have been made to tell."""
    wanted = machine_code_of(settings.machine_code)
    if wanted.mode == "off" or census is None:
        return ()
    return tuple(path for path in census.loaded_plain if path not in wanted.added and "," not in path)


def _patching_too(settings: Settings, paths: tuple[str, ...]) -> Settings:
    return replace(settings, machine_code=add_modules(settings.machine_code, paths), visible="")


def _with_orders(finding: Finding, argv: Sequence[str], settings: Settings, deadline: Deadline) -> Finding:
    """A race with the schedules of both orders of its accesses, if there is time."""
    if finding.kind is not FindingKind.RACE or not deadline.left:
        return finding
    end = finding.trace.end
    visible = replace(settings, races="explore", visible=f"{end.object:x}+{end.object_bytes}")
    try:
        from bpor.race_orders import orders_of

        return replace(finding, orders=orders_of(native_target(argv, visible, deadline), end, visible))
    except OutOfTime:
        return finding


def replay(finding: Finding, argv: Sequence[str] | None = None, settings: Settings | None = None) -> Trace:
    """Repeats a finding in a fresh process, of the program it was found in or of one that is given: `replay(result.findings[0])`.

    Raises Diverged if the program does not go the same way, Uncontrolled if it cannot be started under control.
    """
    argv, settings = argv or finding.argv, settings or finding.settings
    trace = replay_target(native_target(argv, settings), finding.schedule, settings).trace
    assert trace is not None
    return trace


def replay_schedule(schedule: Schedule, argv: Sequence[str], settings: Settings) -> Result:
    """Repeats one schedule in a fresh process. The verdict is about this schedule alone; `trace` is what happened."""
    try:
        return replay_target(native_target(argv, settings), schedule, settings)
    except (Uncontrolled, Diverged, OutOfTime) as error:
        return Result(tuple(argv), settings, of_error(error.exit_code, str(error)))


def replay_orderings(orderings: tuple[Ordering, ...], argv: Sequence[str], settings: Settings) -> Result:
    """As near to a recorded execution as a program that was rebuilt can come: what ran before what, by function and occurrence."""
    try:
        target = native_target(argv, settings)
        with target.open() as executor:
            _, description = executor.describe(Plan(stop_after_prefix=True))
            from bpor.report.orderings import Follow, locate_by

            follow = Follow(orderings, locate_by(description))
            trace = executor.run(Plan(max_steps=settings.max_steps, chooser=follow))
        return replay_target(target, Schedule.of(step.choice for step in trace.steps), settings)
    except (Uncontrolled, Diverged, OutOfTime) as error:
        return Result(tuple(argv), settings, of_error(error.exit_code, str(error)))


@contextmanager
def open_program(argv: Sequence[str], settings: Settings, names: ProgramNames) -> Iterator[Executor]:
    """The program, started afresh, for a search of one's own; `names` tells it where functions and variables lie this time."""
    with native_target(argv, without_doubtful_races(argv, settings)).open() as executor:
        names.attach(lambda: executor.describe(Plan(stop_after_prefix=True))[1])
        yield executor


def _for_program(settings: Settings, argv: Sequence[str]) -> Settings:
    """Python has a default search of its own."""
    program = controlled_program(argv, settings)
    if not is_python(program):
        return settings
    from bpor.python_target import without_gil
    from bpor.search.strategies.extension import DEFAULT

    settings = without_gil(settings, is_free_threaded(program))
    asked = settings.bound is not None or settings.search is not None
    return settings if asked else replace(settings, search="extension", bound=DEFAULT)


def debug(schedule: Schedule, argv: Sequence[str], settings: Settings, steps: Sequence[str]) -> str:
    """A schedule under gdb, of a lasso its stem and one round (`settings.batch`: all backtraces at its end). Returns what was printed."""
    told = schedule.unrolled(1)
    plan = Plan(prefix=told.threads, max_steps=max(settings.max_steps, len(told)), stop_after_prefix=bool(schedule.round))
    program = controlled_program(argv, settings)
    options = replace(target_options(settings), machine=patching_of(program, settings).list, trusted=trusted_code_of(program, settings))
    from bpor.target.debugger import run_gdb

    return run_gdb(program, argv, options, plan, steps, settings.batch)


def read_schedule(text: str) -> Schedule:
    try:
        return Schedule.parse(text)
    except ValueError as error:
        raise UsageError(f"bad schedule {text!r}: {error}; a schedule looks like 0*4,1*2,0 or, without an end, 0*4(1,2)*") from None
