"""The verbs ctest, meson and cargo: one word in front of the runner that a project already has.

The project is built with our compilers into a directory of its own, its tests are asked for, each is searched within a budget, and the
suite's table is printed. Nothing of the project is changed, and no file is needed.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from bpor.cli.arguments import Command
from bpor.cli.compile import build_environment
from bpor.cli.state import note
from bpor.cli.suite import given, require_outputs, search_cases
from bpor.errors import UsageError
from bpor.knobs.durations import duration_text
from bpor.lazy_dataclass import replace
from bpor.report.counted import counted
from bpor.settings import Settings
from bpor.suite.case import Case
from bpor.suite.config import SuiteConfig
from bpor.suite.runners.cargo import cargo_project
from bpor.suite.runners.cases import cases_of_project
from bpor.suite.runners.ctest import ctest_project
from bpor.suite.runners.listed import Project
from bpor.suite.runners.meson import meson_project
from bpor.suite.runners.native import PLACE, processors, run_fixture

SHARE = 10.0  # seconds for a test, if nobody says how long all may take

Find = Callable[[Sequence[str], Path, Path, Mapping[str, str]], Project]
_FIND: dict[str, Find] = {"ctest": ctest_project, "meson": meson_project, "cargo": cargo_project}


def runner(command: Command) -> int:
    settings = command.settings
    words = _words_of(command)
    require_outputs(settings)
    here = Path.cwd()
    compilers = os.environ if command.verb == "cargo" else build_environment(os.environ)
    project = _FIND[command.verb](words, here, here / PLACE / command.verb, compilers)
    cases = cases_of_project(project, replace(Settings(), **given(settings)), os.environ)
    config = SuiteConfig(root=here, tests=(), budget=_budget(cases, settings))
    if not settings.quiet:
        limit = f", {duration_text(config.budget)} for all (--budget)" if config.budget is not None else ""
        note(f"{counted(len(cases), 'test')}, built into {PLACE}/{command.verb}{limit}")
    for fixture in project.before:
        run_fixture(fixture, os.environ)
    try:
        return search_cases(cases, cases, config, settings)
    finally:
        for fixture in project.after:
            run_fixture(fixture, os.environ)


def _words_of(command: Command) -> tuple[str, ...]:
    """The runner's own. Raises UsageError: of meson and cargo only `test` is ours."""
    words = command.program
    if command.verb == "ctest":
        return words
    toolchain = command.verb == "cargo" and bool(words) and words[0].startswith("+")
    if words[toolchain : toolchain + 1] not in (("test",), ("t",)):
        raise UsageError(f"of {command.verb} only its tests can be searched: bpor-native {command.verb} test [options]")
    return words if command.verb == "cargo" else words[1:]


def _budget(cases: Sequence[Case], settings: Settings) -> float | None:
    """None: what a person said about the time of each is enough."""
    if settings.budget is not None or settings.max_time != Settings().max_time:
        return settings.budget
    jobs = settings.jobs or processors()
    return SHARE * -(-len(cases) // jobs)
