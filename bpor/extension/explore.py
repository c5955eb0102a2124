"""One test of a Python extension, from its settings to a Result. The search runs in the test runner, which forks the templates.

Invariant: a finding was confirmed in a template of its own, forked from the runner once more.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from bpor.checking import check_target
from bpor.confirmation import Subject
from bpor.errors import Diverged, OutOfTime, Uncontrolled
from bpor.extension.loading import load_everything
from bpor.extension.openmp import patching_here
from bpor.extension.replay_value import to_value
from bpor.extension.template import Body, Note, Template
from bpor.lazy_dataclass import dataclass, field, replace
from bpor.model.deadline import Deadline
from bpor.model.schedule import Schedule
from bpor.model.trace import Outcome
from bpor.python_target import python_target
from bpor.replaying import replay_target
from bpor.report.finding import Finding
from bpor.report.next_command import MORE, widened
from bpor.report.openmp import AT_THE_TOP, naming_openmp
from bpor.report.result import Result
from bpor.report.verdict import Verdict, VerdictKind, of_error
from bpor.search.result import Failure
from bpor.search.strategies.extension import DEFAULT
from bpor.settings import Settings
from bpor.target.forked import EndedEarly, ForkedExecutor, ForkedExploringExecutor
from bpor.target.program import inspect_program
from bpor.target_options import python_target_options

DEFAULTS = Settings(search="extension", bound=DEFAULT, max_time=60.0)


@dataclass(frozen=True, slots=True)
class Commands:
    """How this runner is asked for one test again."""

    replay: Callable[[str], str]  # with a replay value
    again: Callable[[Settings], str]  # with other settings
    words: Callable[[str], str]  # a text that names options, with the runner's names of them
    names: Mapping[str, Any] = field(default_factory=dict)  # objects that are there before the test


@dataclass(frozen=True, slots=True)
class PythonCase:
    name: str
    body: Body
    template: Template
    directories: tuple[str, ...] = ()  # that executions may write to
    subjects: frozenset[str] | None = None  # files of the modules under test; None: all that are loaded


@dataclass(frozen=True, slots=True)
class ExploredTest:
    """`note`: what the test said itself: it was skipped, or ended before anything was there to explore."""

    result: Result
    note: Note = field(default_factory=Note)


def explore(case: PythonCase, settings: Settings, commands: Commands, schedule: Schedule | None = None) -> ExploredTest:
    """`schedule`: only that one."""
    opened: list[ForkedExecutor] = []
    try:
        if schedule is None:
            result = check_target(target_of(case, settings, opened.append, Deadline(settings.max_time)), settings)
        else:
            result = replay_target(target_of(case, settings, opened.append), schedule, settings)
    except EndedEarly as early:
        reason = "nothing to interleave: the test started no thread"
        return ExploredTest(Result((case.name,), settings, Verdict(VerdictKind.PASS, reason)), Note.read(early.note))
    except (Uncontrolled, Diverged, OutOfTime) as error:
        return ExploredTest(Result((case.name,), settings, of_error(error.exit_code, commands.words(str(error)))))
    excuses = (note for executor in opened for note in map(Note.read, executor.notes) if note.excuse)
    return ExploredTest(_in_words_of(commands, result), next(excuses, Note()))


def target_of(
    case: PythonCase, settings: Settings, opened: Callable[[ForkedExecutor], None] = lambda _: None, deadline: Deadline | None = None
) -> Subject:
    """`opened` is told of every executor."""
    load_everything()
    deadline = deadline or Deadline()
    patching, doubts = patching_here()
    options = replace(python_target_options(settings, deadline, patching), unexplored=not case.template.everything)
    program = inspect_program(os.path.realpath("/proc/self/exe"))
    start = partial(case.template.start, case.body)

    def make(kind: type[ForkedExecutor]) -> ForkedExecutor:
        executor = kind(case.name, start, case.template.ended, options, program, case.directories)
        opened(executor)
        return executor

    plain, beside = (lambda: make(ForkedExecutor)), (lambda: make(ForkedExploringExecutor))
    return python_target((case.name,), plain, beside, settings, deadline, case.subjects, patching, doubts)


def _in_words_of(commands: Commands, result: Result) -> Result:
    """The commands that the reports name are the runner's."""
    verdict = result.verdict
    if verdict.kind is VerdictKind.INCONCLUSIVE and verdict.next and result.search is not None:
        verdict = replace(verdict, next=commands.again(widened(result.search, result.settings)))
    elif result.search is not None and result.search.uncontrolled is not None and _ran_out_of_sight(result.search.uncontrolled):
        longer = replace(result.settings, watchdog=result.settings.watchdog * MORE)
        verdict = naming_openmp(replace(result, verdict=replace(verdict, next=commands.again(longer))), AT_THE_TOP).verdict
    verdict = replace(verdict, reason=commands.words(verdict.reason))
    return replace(result, verdict=verdict, findings=tuple(_again(commands, finding) for finding in result.findings))


def _ran_out_of_sight(uncontrolled: Failure) -> bool:
    """Only then more patience may help: a call that is refused is refused again."""
    return uncontrolled.trace.end.outcome is Outcome.WATCHDOG


def _again(commands: Commands, finding: Finding) -> Finding:
    def replay(schedule: Schedule) -> str:
        return commands.replay(to_value(schedule, finding.settings, commands.names))

    why = None if finding.why is None else replace(finding.why, replay=replay(finding.why.schedule))
    return replace(finding, replay=replay(finding.schedule), why=why)
