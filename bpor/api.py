"""check() and replay(): the only place that wires search, target and report together. The command line is a thin layer over it."""

from __future__ import annotations

import functools
import glob
import operator
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import replace
from functools import cache, partial
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from bpor.confirmation import Describing, Repeated, Subject, confirm, distinct, lines, places, repeat, same
from bpor.errors import BporError, Diverged, EngineUnfit, OutOfTime, Uncontrolled, UsageError
from bpor.model.deadline import Deadline
from bpor.model.executor import Executor
from bpor.model.orders import parse_orders
from bpor.model.plan import Plan
from bpor.model.policy import threads_in
from bpor.model.schedule import Schedule
from bpor.model.trace import Outcome, Trace
from bpor.model.trust import TrustedCode, parse_trust, trusts_module
from bpor.report.finding import Finding, Kind
from bpor.report.library_calls import unseen_call_words, unseen_python_words
from bpor.report.next_command import replay_command
from bpor.report.program_names import ProgramNames
from bpor.report.result import Reset, Result
from bpor.report.unseen import doubtful_race, in_doubt, may_be_ordered, remedy
from bpor.report.verdict import Evidence, Verdict, VerdictKind, assumptions, decide, of_error, out_of_control, unproved
from bpor.search.bounds import parse_bound
from bpor.search.bounds.bound import Bound
from bpor.search.bounds.bound import Kind as BoundKind
from bpor.search.explorer import Checkpoints, Observer
from bpor.search.lasso.check import Checked, Proof
from bpor.search.registry import AHEAD, BESIDE, IN_PARTS, is_ahead
from bpor.search.result import Failure, SearchResult
from bpor.search.strategies.extension import DEFAULT
from bpor.searching import Searching
from bpor.settings import Settings, add_modules, duration_text, fault_limits, leave_alone, machine_code_of, visible_places
from bpor.target.census import Census, Module, libraries_of, take_census
from bpor.target.crew import Crew, crew_here
from bpor.target.doubts import Doubts
from bpor.target.elf import read_elf
from bpor.target.executor import NativeExecutor
from bpor.target.exploring import ExploringExecutor
from bpor.target.loaded import Loaded
from bpor.target.options import TargetOptions
from bpor.target.patched import Patching
from bpor.target.program import Program, inspect_program
from bpor.target.python import is_free_threaded, is_python, python_assumptions, python_options
from bpor.target.python_modules import PythonModules, container_names, look_at_modules
from bpor.target.sanitizers import sanitizer_assumptions

if TYPE_CHECKING:
    from bpor.report.orderings import Ordering

Opened = TypeVar("Opened", bound=NativeExecutor | Crew)


class Elsewhere(Protocol):
    """Processes on other machines that search (bpor/cluster)."""

    def crew(self, first: ExploringExecutor, settings: Settings, deadline: Deadline) -> Crew: ...

    def recovering(self, checkpoints: Checkpoints | None) -> Checkpoints | None: ...


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
    try:
        result = check_target(target, settings, observers, checkpoints)
        suspect, why = result.suspect, result.verdict.reason
    except Diverged as error:
        if not target.doubts.patched:
            raise
        suspect, why = "", str(error)
    else:
        more = _loaded_unpatched(result, settings)
        if more and deadline.left:
            wider = replace(settings, machine_code=add_modules(settings.machine_code, more), visible="")
            return _check_patched(argv, wider, deadline, observers, None, elsewhere)
        if result.verdict.kind is not VerdictKind.NONDETERMINISTIC or not target.doubts.patched:
            return result
    less = leave_alone(settings.machine_code, suspect)
    again = _check_patched(argv, replace(settings, machine_code=less, visible=""), deadline, observers, None, elsewhere)
    what = f"{suspect or 'all of its machine code'} was left unpatched, because patched it did not repeat itself ({why})"
    return replace(again, verdict=again.verdict.after(what, remedy(again.census.unseen, argv[0]) if again.census else ""))


def _loaded_unpatched(result: Result, settings: Settings) -> tuple[str, ...]:
    """Paths of libraries that the program loaded as it ran, and whose machine code could have been made to tell."""
    wanted = machine_code_of(settings.machine_code)
    if wanted.mode == "off" or result.findings or result.census is None:
        return ()
    return tuple(path for path in result.census.loaded_plain if path not in wanted.added and "," not in path)


def _replayable(finding: Finding, argv: Sequence[str], settings: Settings) -> Finding:
    """A known bug can be looked at like any other."""
    return replace(finding, replay=replay_command(finding.schedule, argv, settings), argv=tuple(argv), settings=settings)


def _with_orders(finding: Finding, argv: Sequence[str], settings: Settings, deadline: Deadline) -> Finding:
    """A race with the schedules of both orders of its accesses, if there is time."""
    if finding.kind is not Kind.RACE or not deadline.left:
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
    program = _controlled(argv, settings)
    if not is_python(program):
        return settings
    settings = without_gil(settings, is_free_threaded(program))
    asked = settings.bound is not None or settings.search is not None
    return settings if asked else replace(settings, search="extension", bound=DEFAULT)


def without_gil(settings: Settings, free_threaded: bool) -> Settings:
    """Nearly every place that the GIL protects is a race without it; what comes of them is what a test is about."""
    off = free_threaded or settings.gil == "off"
    return replace(settings, races="explore") if off and settings.races == "report" else settings


def without_doubtful_races(argv: Sequence[str], settings: Settings) -> Settings:
    """For executions that nobody begins again when a plain move turns out to be synchronisation: such a one is no end of them."""
    doubtful = settings.races == "report" and bool(native_target(argv, settings).doubts.patched)
    return replace(settings, races="off") if doubtful else settings


def native_target(argv: Sequence[str], settings: Settings, deadline: Deadline | None = None, elsewhere: Elsewhere | None = None) -> Subject:
    """`deadline`: of everything that is done with it; without one there is none."""
    deadline = deadline or Deadline()
    controlled = _controlled(argv, settings)
    if is_python(controlled):
        options = python_target_options(settings, deadline)

        def make(kind: type[NativeExecutor]) -> NativeExecutor:
            return kind(argv, options, controlled)

        target = python_target(tuple(argv), lambda: make(NativeExecutor), lambda: make(ExploringExecutor), settings, deadline)
        return replace(target, alone=lambda: NativeExecutor(argv, replace(options, reset="exec"), controlled))
    if settings.gil != Settings().gil:
        raise UsageError(f"--gil={settings.gil} is for Python, and {argv[0]} is not an interpreter of it")
    program = inspect_program(argv[0])
    patching = patching_of(controlled, settings)
    options = _native_options(controlled, settings, patching, deadline)
    opened: list[NativeExecutor | Crew] = []

    def noted(executor: Opened) -> Opened:
        opened.append(executor)
        return executor

    def beside(workers: int) -> ExploringExecutor | Crew:
        if elsewhere is not None:
            return noted(elsewhere.crew(ExploringExecutor(argv, options, controlled), settings, deadline))
        return noted(ExploringExecutor(argv, options, controlled) if workers == 1 else crew_here(argv, options, controlled, workers))

    @cache
    def census_of(path: str) -> Census:
        return take_census(inspect_program(path) if path else program).with_patching(patching)

    @cache
    def with_loaded(path: str, loaded: Loaded) -> Census:
        return census_of(path).with_loaded(loaded)

    def census() -> Census:
        """Of the program that has the threads: the one that was given may have become, or have started, another."""
        others = [] if controlled.is_script else [executor.other_program for executor in opened if executor.other_program]
        loaded = functools.reduce(operator.or_, (executor.loaded for executor in opened), Loaded())
        return with_loaded(others[-1] if others else "", loaded).without(partial(trusts_module, settings.trust))

    return Subject(
        tuple(argv),
        lambda: noted(NativeExecutor(argv, options, controlled)),
        census,
        settings.races != "off",
        deadline,
        beside,
        assumes=lambda: (*_of_modules(census().modules), *census().untold_words),
        alone=lambda: NativeExecutor(argv, replace(options, reset="exec", machine=otherwise_patched(controlled, patching)), controlled),
        probed=True,
        doubts=_doubts(controlled, patching),
        recovering=elsewhere.recovering if elsewhere is not None else same,
    )


def member_of(argv: Sequence[str], settings: Settings, deadline: Deadline, number: int) -> ExploringExecutor:
    """One of several processes that search the same program, from 1."""
    controlled = _controlled(argv, settings)
    options = _native_options(controlled, settings, patching_of(controlled, settings), deadline)
    return ExploringExecutor(argv, options, controlled, worker=number)


def _native_options(program: Program, settings: Settings, patching: Patching, deadline: Deadline) -> TargetOptions:
    options = replace(target_options(settings), trusted=_trusted_code(program, settings))
    return replace(options, machine=patching.list, deadline=deadline, memory=_memory_of(program, settings))


def _trusted_code(program: Program, settings: Settings) -> tuple[TrustedCode, ...]:
    if not settings.trust:
        return ()
    from bpor.report.trusted import trusted_code  # reads symbols: only who trusts needs it

    libraries = libraries_of(program.elf)[0] if program.elf is not None else []
    return trusted_code(settings.trust, [os.path.realpath(program.path), *libraries])


def _memory_of(program: Program, settings: Settings) -> str:
    """By itself only where every access has an order to tell, and none that orders others is out of sight: Rust's own locks are, in a
    program whose standard library is not instrumented."""
    if settings.memory != "auto":
        return settings.memory
    return "auto" if take_census(program).coverage == "memory" else "sc"


def _doubts(program: Program, patching: Patching) -> Doubts:
    if not patching.list:
        return Doubts()
    told = [module.elf.path for module in take_census(program).modules if module.elf.instrumented]
    return Doubts(frozenset(os.path.realpath(module.path) for module in patching.modules), frozenset(map(os.path.realpath, told)))


def otherwise_patched(program: Program, patching: Patching) -> str:
    """A list that patches the same in another way: a failure is the program's only if it happens there too."""
    if not patching.list:
        return ""
    from bpor.machine.modules import patched_otherwise

    return patched_otherwise(filter(None, (read_elf(module.path) for module in patching.modules)), patching)


def patching_of(program: Program, settings: Settings) -> Patching:
    """Which of its modules are made to tell their accesses by their machine code."""
    wanted = machine_code_of(settings.machine_code)
    if wanted.mode == "off":
        return Patching()
    elves = [*(module.elf for module in take_census(program).modules), *filter(None, map(read_elf, wanted.added))]
    if all(elf.instrumented for elf in elves):
        return Patching()
    from bpor.machine.modules import prepare

    return prepare(elves, wanted.mode, wanted.alone)


def look_at(path: str, settings: Settings) -> None:
    """Puts what has to be known of a program's machine code into the cache, so that searches need no time for it."""
    with suppress(BporError, OSError):  # running it says why
        patching_of(inspect_program(path), settings)


def _but_functions(settings: Settings) -> str:
    return " outside of trusted functions" if any(trust.kind == "function" for trust in parse_trust(settings.trust)) else ""


def _of_modules(modules: Sequence[Module]) -> tuple[str, ...]:
    """What is taken for granted about the code of these."""
    elves, patched = [module.elf for module in modules], [module.elf for module in modules if module.patched and module.tells]
    return *sanitizer_assumptions(elves), *unseen_call_words(elves, patched)


def python_target(
    argv: tuple[str, ...],
    make: Callable[[], NativeExecutor],
    make_exploring: Callable[[], NativeExecutor],
    settings: Settings,
    deadline: Deadline,
    subjects: frozenset[str] | None = None,
) -> Subject:
    """A Python program: what of it can be seen is known when it stands at its fork point. The search beside it has one process.
    `subjects`: the files of the modules under test; None: all that it loaded."""
    opened: list[NativeExecutor] = []

    @contextmanager
    def open_one(made_by: Callable[[], NativeExecutor] = make) -> Iterator[NativeExecutor]:
        with made_by() as executor:
            opened.append(executor)
            modules()
            yield executor

    def beside(workers: int) -> AbstractContextManager[NativeExecutor]:
        return open_one(make_exploring)

    @cache
    def modules() -> PythonModules:
        _, description = opened[-1].describe(Plan(stop_after_prefix=True))
        return look_at_modules(path for _, path in description.modules)

    def assumes() -> tuple[str, ...]:
        containers = container_names(executor.containers for executor in opened)
        seen = [f"containers: {', '.join(containers)}"] if containers else []
        told = [module.elf for module in modules().told]
        calls = *unseen_call_words(told), *unseen_python_words(told)
        return (*modules().words(), *seen, *calls, *python_assumptions(settings.gil, opened[0].free_threaded))

    return Subject(
        argv,
        open_one,
        lambda: modules().census(opened[0].program),
        settings.races != "off",
        deadline,
        beside if settings.workers == 1 else None,
        assumes=assumes,
        silent=lambda: modules().unfit(subjects),
        told=lambda: any(executor.told or executor.containers for executor in opened),
    )


def debug(schedule: Schedule, argv: Sequence[str], settings: Settings, steps: Sequence[str]) -> str:
    """A schedule under gdb, of a lasso its stem and one round (`settings.batch`: all backtraces at its end). Returns what was printed."""
    told = schedule.unrolled(1)
    plan = Plan(prefix=told.threads, max_steps=max(settings.max_steps, len(told)), stop_after_prefix=bool(schedule.round))
    program = _controlled(argv, settings)
    options = _native_options(program, settings, patching_of(program, settings), Deadline())
    from bpor.target.debugger import run_gdb

    return run_gdb(program, argv, options, plan, steps, settings.batch)


def _controlled(argv: Sequence[str], settings: Settings) -> Program:
    if not argv:
        raise UsageError("no program given")
    program = inspect_program(argv[0])
    _readable(settings.stdin)
    return program if settings.control is None else _behind_wrapper(program, settings.control)


def target_options(settings: Settings) -> TargetOptions:
    return TargetOptions(
        signal=settings.signal,
        timeouts=settings.timeouts,
        spurious=settings.spurious,
        stacks=settings.seal is not None or (_is_best_first(settings) and "method:" in (settings.search or "")),
        races=settings.races,
        memory=settings.memory,
        orders=parse_orders(settings.with_order),
        faults=fault_limits(settings.faults),
        visible=visible_places(settings.visible),
        process_state=settings.process_state,
        quarantine=settings.quarantine == "on",
        fork_at=settings.fork_at,
        watchdog=settings.watchdog,
        stdin=settings.stdin or "",
        seed=settings.seed,
        reset=settings.reset,
        carrier=settings.carrier,
        process=settings.process,
    )


def python_target_options(settings: Settings, deadline: Deadline) -> TargetOptions:
    if settings.faults:
        raise UsageError("--faults is for programs without an interpreter: its own calls would fail, not the test's")
    options = replace(python_options(target_options(settings)), gil=settings.gil, deadline=deadline)
    if not settings.trust:
        return options
    from bpor.report.trusted import trusted_code

    return replace(options, trusted=trusted_code(settings.trust, ()))


def check_target(target: Subject, settings: Settings, observers: Sequence[Observer] = (), checkpoints: Checkpoints | None = None) -> Result:
    """As `check`, for anything that can be run: the tests come here with simulated programs."""
    name = (settings.search or "bpor").partition(":")[0]
    if settings.workers > 1 and name not in (*IN_PARTS, *AHEAD):
        several = ", ".join((*IN_PARTS, *AHEAD))
        raise UsageError(f"-j {settings.workers}: --search {settings.search} is run by one process; several run {several}, and the default")
    reason = _why_in_python(target, settings, observers)
    if target.deadline.endless:
        target = replace(target, deadline=Deadline(settings.max_time))
    try:
        return _check_target(target, settings, observers, checkpoints, reason)
    except EngineUnfit as unfit:  # from the start: nothing was claimed yet
        alone = replace(settings, workers=1) if is_ahead(settings.search) else settings
        return _check_target(target, alone, observers, checkpoints, str(unfit))


def _is_best_first(settings: Settings) -> bool:
    return (settings.search or "").partition(":")[0] in ("best-first", "best-first-all")


def why_in_python(settings: Settings) -> str:
    """Why the search will not be beside the program, as far as the options tell; empty: they do not."""
    own = settings.seal is not None or (settings.search or "bpor").partition(":")[0] not in BESIDE
    bound = Bound.of() if settings.bound is None else parse_bound(settings.bound)
    reasons = {
        "--engine=python": settings.engine == "python",
        "--reset=exec": settings.reset == "exec",
        f"only {', '.join(BESIDE)} are known beside the program, without --seal": own,
        "depth bounds are not known beside the program": BoundKind.DEPTH in bound.kinds,
        "--outcomes looks at every execution": settings.outcomes,
        "--show-output looks at every execution": settings.show_output,
        "--suppressions looks at every failing execution": settings.suppressions is not None,
    }
    return next((reason for reason, holds in reasons.items() if holds), "")


def _why_in_python(target: Subject, settings: Settings, observers: Sequence[Observer]) -> str:
    """Likewise of this program; empty: it is beside it."""
    reasons = {
        why_in_python(settings): True,
        "only a real program can be searched from beside it": target.beside is None,
        "an observer looks at every execution": not all(getattr(observer, "batches", False) for observer in observers),
    }
    return next((reason for reason, holds in reasons.items() if reason and holds), "")


def _check_target(
    target: Subject, settings: Settings, observers: Sequence[Observer], checkpoints: Checkpoints | None, in_python: str
) -> Result:
    ahead = settings.workers > 1 and is_ahead(settings.search) and settings.reset != "exec"
    with target.open() if (in_python and not ahead) or target.beside is None else target.beside(settings.workers) as executor:
        _require(target, settings)
        engine = "python" if in_python else "native"
        searching = Searching(
            *(executor, settings, observers, engine, target.deadline),
            probed=target.probed,
            doubts=target.doubts,
            recovering=target.recovering,
        )
        searching.run(checkpoints)
        _require(target, settings)  # of the program that had the threads
        search, settings = searching.result, searching.settings
        failures = [(failure, searching.smallest(failure)) for failure in distinct(executor, search.failures, settings, target.deadline)]
        suspect = _suspect(target.doubts, executor, failures)
        stack = places(executor, search.uncontrolled.trace.end.stack) if search.uncontrolled else ()
        yields = lines(executor, tuple(searching.inferred.sites))
        reset, turns = _reset_of(executor), max(executor.turns, 1) if isinstance(executor, NativeExecutor) else 1
        lost_at = lines(executor, (search.counts.lost_at,)) if search.counts.lost else ()
        counting_at = lines(executor, (search.counts.counting_at,)) if search.counts.counting_at else ()
        long_at = lines(executor, searching.cuts.sites)
        polling = tuple((site, loop) for loop in searching.polling for site in lines(executor, loop.sites)[:1])
        contradicted = searching.contradictions.site
        contradicted_at = None if contradicted is None else lines(executor, (contradicted,) if contradicted else ())
    if not failures:
        _require(target, settings)  # of what was loaded meanwhile too
    findings, unrepeated, late = _confirmed(target.widened(settings), failures, settings)
    known = searching.known
    seen = Evidence(
        target.coverage,
        searching.cuts.counts,
        yields,
        stack,
        frozenset(searching.orders.seen),
        dict(known.counts),
        searching.trusted,
        searching.excuses.seen,
        lost_at,
        target.assumes(),
        reset.words if settings.reset != "exec" else "",
        target.unseen,
        turns,
        counting_at,
        polling,
        target.census.patched_words + _but_functions(settings) if target.coverage == "machine" and target.census else "",
        contradicted_at,
        target.told(),
        searching.old_values.seen,
        _completed(searching.strong),
        _all_doubtful(target, findings, settings),
        searching.offered.seen,
        saved=checkpoints is not None,
        long_thread=searching.cuts.thread,
        long_at=long_at,
    )
    verdict = decide(search, findings, target.argv, settings, seen)
    if late and not findings:
        verdict = Verdict(VerdictKind.INCONCLUSIVE, late, target.coverage, verdict.assumptions, verdict.next)
    elif unrepeated and not findings:
        verdict = Verdict(VerdictKind.NONDETERMINISTIC, unrepeated, target.coverage, verdict.assumptions)
    return Result(
        target.argv,
        settings,
        verdict,
        findings,
        search,
        searching.outputs.found,
        target.census,
        confirmed=len(findings),
        stack=stack,
        suppressed=tuple(_replayable(finding, target.argv, settings) for finding in known.findings.values()),
        unused_suppressions=known.unused,
        in_python=in_python,
        reset=reset,
        suspect=suspect,
        turns=turns,
    )


def _completed(search: SearchResult | None) -> str:
    level = search.strongest if search is not None else None
    return level.statement() if level is not None else ""


def _all_doubtful(target: Subject, findings: Sequence[Finding], settings: Settings) -> bool:
    """Nothing was found but races that may be synchronisation."""
    doubtful = all(target.doubts.about(finding.trace.end, finding.description) for finding in findings if finding.trace is not None)
    return bool(findings) and settings.races in ("report", "explore") and doubtful


def _suspect(doubts: Doubts, executor: Describing, failures: Sequence[tuple[Failure, Schedule]]) -> str:
    """The name of the patched module in which the first failure happened; empty: it is in none."""
    if not failures or not doubts.patched:
        return ""
    _, description = executor.describe(Plan(stop_after_prefix=True))
    return doubts.suspect(failures[0][0].trace.end.stack, description)


def _reset_of(executor: object) -> Reset:
    """How a real program was reset in the end."""
    return Reset(executor.mode.reset, executor.reason) if isinstance(executor, NativeExecutor | Crew) else Reset()


def _confirmed(target: Subject, failures: Sequence[tuple[Failure, Schedule]], settings: Settings) -> tuple[tuple[Finding, ...], str, str]:
    """The findings that failed again, why the first one that did not did not, and what there was no time for."""
    findings: dict[tuple[Kind, str], Finding] = {}
    unrepeated = late = ""
    for failure, schedule in failures:
        if findings and not target.deadline.left:
            break
        try:
            finding = confirm(target, failure, schedule, settings)
            findings.setdefault((finding.kind, finding.summary), finding)
        except Diverged as error:
            unrepeated = unrepeated or str(error)
        except OutOfTime:
            limit, repeating = duration_text(settings.max_time), replay_command(schedule, target.argv, settings)
            late = late or f"{failure.trace.end.outcome.value}, but --max-time {limit} was over before it was repeated: {repeating}"
    return tuple(findings.values()), unrepeated, late


def replay_target(target: Subject, schedule: Schedule, settings: Settings) -> Result:
    again = repeat(target, schedule, settings)
    kind, reason = _verdict_on_one(again, target, settings)
    verdict = Verdict(kind, reason, target.coverage, assumptions(settings, target.coverage))
    findings = () if again.finding is None else (again.finding,)
    stack = again.stack if kind is VerdictKind.UNCONTROLLED else ()
    confirmed = len(findings)
    return Result(
        target.argv, settings, verdict, findings, census=target.census, confirmed=confirmed, execution=again.execution, stack=stack
    )


def _verdict_on_one(again: Repeated, target: Subject, settings: Settings) -> tuple[VerdictKind, str]:
    end = again.trace.end
    if again.finding is not None and _all_doubtful(target, (again.finding,), settings):
        return VerdictKind.INCONCLUSIVE, doubtful_race(again.finding)
    if again.finding is not None and may_be_ordered((again.finding,), target.unseen, settings.races):
        return VerdictKind.INCONCLUSIVE, in_doubt(again.finding, target.unseen, target.argv[0])
    if again.finding is not None and not again.finding.is_proved:
        return VerdictKind.INCONCLUSIVE, unproved(again.finding, settings)
    if again.finding is not None:
        return VerdictKind.BUG, again.finding.summary
    if again.checked is not None:
        return VerdictKind.INCONCLUSIVE, _no_livelock(again.checked)
    if end.outcome is Outcome.PASSED:
        return VerdictKind.PASS, f"this schedule of {again.trace.length} steps passes; no other was run"
    if end.outcome in (Outcome.REFUSED, Outcome.WATCHDOG):
        return VerdictKind.UNCONTROLLED, out_of_control(end, again.stack, settings)
    return VerdictKind.INCONCLUSIVE, f"the execution was cut short: {end.outcome.value}"


def _no_livelock(checked: Checked) -> str:
    """Of a lasso that was repeated."""
    if checked.proof is Proof.UNFAIR:
        others = ", ".join(f"T{thread}" for thread in threads_in(checked.starved))
        return f"the round comes back to its state, but {others} could run and never does: that takes an unfair scheduler"
    return "the round does not come back to the state that it began with"


def read_schedule(text: str) -> Schedule:
    try:
        return Schedule.parse(text)
    except ValueError as error:
        raise UsageError(f"bad schedule {text!r}: {error}; a schedule looks like 0*4,1*2,0 or, without an end, 0*4(1,2)*") from None


def _require(target: Subject, settings: Settings) -> None:
    required = settings.require if settings.require != "auto" else "memory" if settings.gil == "off" else "calls"
    if required == "memory" and (unfit := target.silent()):
        raise Uncontrolled(
            f"{', '.join(unfit)}: not instrumented, so its accesses of memory are not seen, below --require memory; build it by"
            " `bpor-native build pip install --no-binary NAME NAME`, or say --require calls"
        )
    order = ("calls", "machine", "atomics", "memory")
    if settings.require != "auto" and order.index(target.coverage) < order.index(settings.require):
        names = (target.census.silent or target.census.uninstrumented) if target.census else ()
        seen = "told by machine code alone" if target.coverage == "machine" else "not seen"
        raise Uncontrolled(
            f"coverage is {target.coverage}, below --require {settings.require}: accesses of memory in"
            f" {', '.join(names) or 'the program'} are {seen};"
            + (" do without --races=off" if target.coverage == "atomics" else " build with `bpor-native cc`")
        )


def _behind_wrapper(program: Program, pattern: str) -> Program:
    """Start `program`, control the one file that `--control` names."""
    matches = [path for path in glob.glob(pattern) if os.path.isfile(path) and os.access(path, os.X_OK)]
    if len(matches) != 1:
        raise UsageError(f"--control {pattern}: matches {len(matches)} programs, not one")
    behind = inspect_program(os.path.abspath(matches[0]))
    if behind.is_script:
        raise UsageError(f"--control {pattern}: {matches[0]} is a script; name the program it starts")
    return replace(behind, path=program.path, behind=True)


def _readable(stdin: str | None) -> None:
    if stdin is not None:
        try:
            open(stdin, "rb").close()
        except OSError as error:
            raise UsageError(f"--stdin {stdin}: {error.strerror}") from None
