"""python_target(): a Python program as a Subject. How much of it can be seen is known only when it has reached its fork point."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import cache

from bpor.confirmation import Subject
from bpor.lazy_dataclass import replace
from bpor.model.deadline import Deadline
from bpor.model.plan import Plan
from bpor.report.library_calls import CALLED_BY_POINTER, unseen_call_words, unseen_python_words
from bpor.settings import Settings
from bpor.target.doubts import NO_DOUBTS, Doubts
from bpor.target.elf import Elf
from bpor.target.executor import NativeExecutor
from bpor.target.patched import UNPATCHED, Patching
from bpor.target.python import python_assumptions
from bpor.target.python_modules import PythonModules, calls_by_pointer, container_names, look_at_modules


def python_target(
    argv: tuple[str, ...],
    make: Callable[[], NativeExecutor],
    make_exploring: Callable[[], NativeExecutor],
    settings: Settings,
    deadline: Deadline,
    subjects: frozenset[str] | None = None,
    patching: Patching = UNPATCHED,
    doubts: Doubts = NO_DOUBTS,
) -> Subject:
    """A Python program: what of it can be seen is known when it stands at its fork point. The search beside it has one process.
    `subjects`: the files of the modules under test; None: all that it loaded. `patching`: of OpenMP's libraries; `doubts`: about races
    with these."""
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
        return look_at_modules((path for _, path in description.modules), patching, opened[-1].loaded.patched)

    def assumes() -> tuple[str, ...]:
        containers = container_names(executor.containers for executor in opened)
        seen = [f"containers: {', '.join(containers)}"] if containers else []
        told = [module.elf for module in modules().told]
        calls = *unseen_calls(told), *unseen_python_words(told), *by_pointer()
        return (*modules().words(), *seen, *calls, *python_assumptions(settings.gil, opened[0].free_threaded))

    def unseen_calls(told: list[Elf]) -> tuple[str, ...]:
        return unseen_call_words(told, [module.elf for module in modules().patched], patching)

    def by_pointer() -> tuple[str, ...]:
        return (CALLED_BY_POINTER,) if calls_by_pointer(executor.containers for executor in opened) else ()

    def blind() -> bool:
        """Of the modules under test; with the GIL its order covers what the interpreter does under it."""
        told = [module.elf for module in modules().told if subjects is None or os.path.realpath(module.elf.path) in subjects]
        no_gil = settings.gil == "off" or opened[0].free_threaded
        return bool(unseen_calls(told) or (no_gil and (unseen_python_words(told) or by_pointer())))

    return Subject(
        argv,
        open_one,
        lambda: modules().census(opened[0].program, patching),
        settings.races != "off",
        deadline,
        beside if settings.workers == 1 else None,
        assumes=assumes,
        silent=lambda: modules().unfit(subjects),
        told=lambda: any(executor.told or executor.containers for executor in opened),
        blind=blind,
        doubts=doubts,
    )


def without_gil(settings: Settings, free_threaded: bool) -> Settings:
    """Nearly every place that the GIL protects is a race without it; what comes of them is what a test is about."""
    off = free_threaded or settings.gil == "off"
    return replace(settings, races="explore") if off and settings.races == "report" else settings
