"""native_target(): a program of its own as a Subject, with the census of what can be seen of it and the patching of its machine code."""

from __future__ import annotations

import functools
import operator
import os
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import cache, partial
from typing import TYPE_CHECKING, Protocol, TypeVar

from bpor.confirmation import Subject, same
from bpor.errors import BporError, UsageError
from bpor.knobs.machine_code import machine_code_of
from bpor.lazy_dataclass import replace
from bpor.model.deadline import Deadline
from bpor.model.trust import TrustedCode, trusts_module
from bpor.report.library_calls import unseen_call_words
from bpor.search.explorer import Checkpoints
from bpor.settings import Settings
from bpor.target.census import Census, libraries_of, take_census
from bpor.target.doubts import Doubts
from bpor.target.elf import Elf, read_elf
from bpor.target.executor import NativeExecutor
from bpor.target.exploring import ExploringExecutor
from bpor.target.loaded import Loaded
from bpor.target.options import TargetOptions
from bpor.target.patched import Patching
from bpor.target.program import TargetProgram, inspect_program
from bpor.target.python import is_python
from bpor.target.sanitizers import sanitizer_assumptions
from bpor.target_options import python_target_options, target_options

if TYPE_CHECKING:
    from bpor.target.crew import Crew

Opened = TypeVar("Opened", bound="NativeExecutor | Crew")


class Elsewhere(Protocol):
    """Processes on other machines that search (bpor/cluster)."""

    def crew(self, first: ExploringExecutor, settings: Settings, deadline: Deadline) -> Crew: ...

    def recovering(self, checkpoints: Checkpoints | None) -> Checkpoints | None: ...


def native_target(argv: Sequence[str], settings: Settings, deadline: Deadline | None = None, elsewhere: Elsewhere | None = None) -> Subject:
    """`deadline`: of everything that is done with it; without one there is none."""
    deadline = deadline or Deadline()
    controlled = controlled_program(argv, settings)
    if is_python(controlled):
        from bpor.python_target import python_target

        patching = _patching(lambda: Census(controlled), settings)  # of what was seen to be loaded
        options = python_target_options(settings, deadline, patching)

        def make(kind: type[NativeExecutor]) -> NativeExecutor:
            return kind(argv, options, controlled)

        plain, exploring = (lambda: make(NativeExecutor)), (lambda: make(ExploringExecutor))
        doubts = Doubts(frozenset(os.path.realpath(module.path) for module in patching.modules))
        target = python_target(tuple(argv), plain, exploring, settings, deadline, patching=patching, doubts=doubts)
        return replace(target, alone=lambda: NativeExecutor(argv, replace(options, reset="exec"), controlled))
    if settings.gil != Settings().gil:
        raise UsageError(f"--gil={settings.gil} is for Python, and {argv[0]} is not an interpreter of it")
    counted = cache(lambda: take_census(controlled))
    patching = _patching(counted, settings)
    options = _native_options(controlled, counted, settings, patching, deadline)
    opened: list[NativeExecutor | Crew] = []

    def noted(executor: Opened) -> Opened:
        opened.append(executor)
        return executor

    def beside(workers: int) -> ExploringExecutor | Crew:
        if elsewhere is not None and workers:
            return noted(elsewhere.crew(ExploringExecutor(argv, options, controlled), settings, deadline))
        if workers <= 1:
            return noted(ExploringExecutor(argv, options, controlled))
        from bpor.target.crew import crew_here

        return noted(crew_here(argv, options, controlled, workers))

    @cache
    def census_of(path: str) -> Census:
        plain = counted() if not path and not controlled.behind else take_census(inspect_program(path or argv[0]))
        return plain.with_patching(patching)

    @cache
    def with_loaded(path: str, loaded: Loaded) -> Census:
        return census_of(path).with_loaded(loaded)

    def loaded() -> Loaded:
        return functools.reduce(operator.or_, (executor.loaded for executor in opened), Loaded())

    def census() -> Census:
        """Of the program that has the threads: the one that was given may have become, or have started, another."""
        others = [] if controlled.is_script else [executor.other_program for executor in opened if executor.other_program]
        return with_loaded(others[-1] if others else "", loaded()).without(partial(trusts_module, settings.trust))

    return Subject(
        tuple(argv),
        lambda: noted(NativeExecutor(argv, options, controlled)),
        census,
        settings.races != "off",
        deadline,
        beside,
        assumes=lambda: (*_of_modules(census()), *census().untold_words, *sorted(loaded().untold)),
        alone=lambda: NativeExecutor(argv, replace(options, reset="exec", machine=otherwise_patched(controlled, patching)), controlled),
        probed=True,
        doubts=_doubts(counted, patching),
        recovering=elsewhere.recovering if elsewhere is not None else same,
    )


def member_of(argv: Sequence[str], settings: Settings, deadline: Deadline, number: int, processors: int) -> ExploringExecutor:
    """One of several processes that search the same program, from 1, each on a machine of its own: the program is told of as many
    processors as the client has."""
    controlled = controlled_program(argv, settings)
    counted = cache(lambda: take_census(controlled))
    options = _native_options(controlled, counted, settings, _patching(counted, settings), deadline)
    return ExploringExecutor(argv, replace(options, asks=True, processors=processors), controlled, worker=number)


def _native_options(
    program: TargetProgram, census: Callable[[], Census], settings: Settings, patching: Patching, deadline: Deadline
) -> TargetOptions:
    options = replace(target_options(settings), machine=patching.list, deadline=deadline, memory=_memory_of(census, settings))
    return replace(options, trusted=trusted_code_of(program, settings))


def trusted_code_of(program: TargetProgram, settings: Settings) -> tuple[TrustedCode, ...]:
    if not settings.trust:
        return ()
    from bpor.report.trusted import trusted_code  # reads symbols: only who trusts needs it

    libraries = libraries_of(program.elf)[0] if program.elf is not None else []
    return trusted_code(settings.trust, [os.path.realpath(program.path), *libraries])


def _memory_of(census: Callable[[], Census], settings: Settings) -> str:
    """By itself only where every access has an order to tell, and none that orders others is out of sight: Rust's own locks are, in a
    program whose standard library is not instrumented."""
    if settings.memory != "auto":
        return settings.memory
    return "auto" if census().coverage == "memory" else "sc"


def without_doubtful_races(argv: Sequence[str], settings: Settings) -> Settings:
    """For executions that nobody begins again when a plain move turns out to be synchronisation: such a one is no end of them."""
    doubtful = settings.races == "report" and bool(native_target(argv, settings).doubts.patched)
    return replace(settings, races="off") if doubtful else settings


def _doubts(census: Callable[[], Census], patching: Patching) -> Doubts:
    if not patching.list:
        return Doubts()
    told = [module.elf.path for module in census().modules if module.elf.instrumented]
    marked = {os.path.realpath(module.path): module.marked for module in patching.modules if module.marked}
    return Doubts(frozenset(os.path.realpath(module.path) for module in patching.modules), frozenset(map(os.path.realpath, told)), marked)


def otherwise_patched(program: TargetProgram, patching: Patching) -> str:
    """A list that patches the same in another way: a failure is the program's only if it happens there too."""
    if not patching.list:
        return ""
    from bpor.machine.modules import patched_otherwise

    return patched_otherwise(filter(None, (read_elf(module.path) for module in patching.modules)), patching)


def patching_of(program: TargetProgram, settings: Settings) -> Patching:
    """Which of its modules are made to tell their accesses by their machine code."""
    return _patching(lambda: take_census(program), settings)


def _patching(census: Callable[[], Census], settings: Settings) -> Patching:
    wanted = machine_code_of(settings.machine_code)
    if wanted.mode == "off":
        return Patching()
    elves = [*(module.elf for module in census().modules), *filter(None, map(_added, wanted.added))]
    from bpor.target.containers import containers_called

    elves += containers_called(elves, census().libraries)
    if all(elf.instrumented and not elf.is_told_in_part for elf in elves):
        return Patching()
    from bpor.machine.modules import prepare

    return prepare(elves, wanted.mode, wanted.alone)


def _added(path: str) -> Elf | None:
    try:
        return read_elf(path)
    except OSError as error:
        raise UsageError(f"--machine-code: {path} cannot be read: {error.strerror}") from error


def look_at(path: str, settings: Settings) -> None:
    """Puts what has to be known of a program's machine code into the cache, so that searches need no time for it."""
    with suppress(BporError, OSError):  # running it says why
        patching_of(inspect_program(path), settings)


def _of_modules(census: Census) -> tuple[str, ...]:
    """What is taken for granted about the code of its modules."""
    modules = census.modules
    elves, patched = [module.elf for module in modules], [module.elf for module in modules if module.patched and module.tells]
    return *sanitizer_assumptions(elves), *unseen_call_words(elves, patched, census.patching)


def controlled_program(argv: Sequence[str], settings: Settings) -> TargetProgram:
    if not argv:
        raise UsageError("no program given")
    program = inspect_program(argv[0])
    _readable(settings.stdin)
    return program if settings.control is None else _behind_wrapper(program, settings.control)


def _behind_wrapper(program: TargetProgram, pattern: str) -> TargetProgram:
    """Start `program`, control the one file that `--control` names."""
    from glob import glob  # for a pattern

    matches = [path for path in glob(pattern) if os.path.isfile(path) and os.access(path, os.X_OK)]
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
