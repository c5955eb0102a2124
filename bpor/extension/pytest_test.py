"""One test of pytest's under control: its body, its settings, and its report."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable
from typing import Any
from unittest import SkipTest

import pytest

from bpor.errors import BporError, UsageError
from bpor.extension.explore import ExploredTest, PythonCase, explore
from bpor.extension.library import Library
from bpor.extension.pytest_settings import commands_for, names_of, settings_of
from bpor.extension.region import ExploredRegion
from bpor.extension.subjects import subjects_of
from bpor.extension.template import Note, Template
from bpor.lazy_dataclass import replace
from bpor.report.result import Result
from bpor.report.text import text_report
from bpor.report.verdict import VerdictKind
from bpor.search.budget import SearchStop

_EXCUSES: dict[str, Any] = {"skip": pytest.skip, "xfail": pytest.xfail}


class ScheduleFailure(AssertionError):
    """The report is in `text`; pytest shows that instead of a traceback of ours."""

    def __init__(self, text: str, summary: str) -> None:
        super().__init__(summary)
        self.text = text


class NothingToInterleave(pytest.PytestWarning):
    """A test that is to be explored passed, and there was only one way for it to run. `-W error` makes it a failure."""


class PytestTest:
    def __init__(self, item: pytest.Item) -> None:
        assert isinstance(item, pytest.Function)
        self._item = item
        self._body = _Body(item)
        self._template = Template(Library(), everything="bpor" not in item.fixturenames)
        self._explored: ExploredTest | None = None
        self._asked = "bpor" in item.fixturenames or item.get_closest_marker("bpor") is not None  # not taken by --bpor=auto

    def region(self) -> ExploredRegion:
        return ExploredRegion(self._template)

    def take_the_place_of(self, method: Any) -> None:
        """Of one that unittest calls, with what it has been marked with there."""

        @functools.wraps(method)
        def run() -> None:
            __tracebackhide__ = True
            self._item.instance._outcome.result_supports_subtests = False  # so that what fails in a subTest is raised
            self._body = _Method(self._item, method)
            self.run()

        self._item.obj = run

    def run(self) -> None:
        """Raises what pytest is to report."""
        __tracebackhide__ = True
        try:
            explored = self._explored = self._explore()
        except BporError as error:
            raise ScheduleFailure(f"bpor: {error}", str(error)) from None
        result, note = explored.result, explored.note
        if note.passed:
            self._tell(result)
        if result.search is not None and result.search.stop is SearchStop.INTERRUPTED:
            raise KeyboardInterrupt
        if not note.passed:
            raise ScheduleFailure(note.text, "failed before it started a thread")
        if note.excuse and not result.findings:
            _EXCUSES[note.excuse](note.text)
        if result.exit_code:
            raise ScheduleFailure(_report(result), result.verdict.statement)
        if _is_vacuous(result) and not note.excuse and self._asked:
            self._item.warn(NothingToInterleave(f"bpor: {self._item.nodeid}: nothing to interleave: only one thread ever ran"))

    def _explore(self) -> ExploredTest:
        item = self._item
        marker = item.get_closest_marker("bpor")
        if marker is not None and marker.args:
            raise UsageError(f"pytest.mark.bpor takes names with values, such as bound=..., not {marker.args[0]!r}")
        settings, schedule = settings_of(item.config, marker.kwargs if marker is not None else {}, names_of(item))
        return explore(self.case(), settings, commands_for(item), schedule)

    def case(self) -> PythonCase:
        """With its fixtures set up."""
        item = self._item
        kept = (str(item.funcargs[name]) for name in ("tmp_path", "tmpdir") if name in item.funcargs)
        return PythonCase(item.nodeid, self._body, self._template, tuple(kept)[:1], subjects_of(names_of(item)))

    def _tell(self, result: Result) -> None:
        """For JUnit, for other plugins, and for the summary."""
        executions = result.search.executions if result.search is not None else 0
        self._item.user_properties += [
            ("bpor", f"{executions} schedules; {result.verdict.statement}" if executions else result.verdict.statement),
            ("bpor_verdict", result.verdict.kind.value),
            ("bpor_schedules", executions),
            *(("bpor_finding", str(finding.kind)) for finding in result.findings),
            *(("bpor_replay", finding.replay) for finding in result.findings),
        ]

    def complete(self, report: pytest.TestReport, call: pytest.CallInfo[None]) -> None:
        if call.excinfo is not None and isinstance(call.excinfo.value, ScheduleFailure):
            report.longrepr = call.excinfo.value.text


def _is_vacuous(result: Result) -> bool:
    search = result.search
    return result.verdict.kind is VerdictKind.PASS and result.execution is None and (search is None or search.counts.threads <= 1)


def _report(result: Result) -> str:
    """What pytest's summary shows is its first line."""
    parts = []
    for finding in result.findings:
        account = finding.description.account
        parts.append(text_report(replace(finding, replay="")).rstrip("\n"))
        parts += [Note.read(account).text] if account else []
        parts.append(f"replay: {finding.replay}")
    where = [f"  #{number} {site.with_function}  {site.source}".rstrip() for number, site in enumerate(result.stack)]
    return "\n\n".join([*parts, "\n".join([f"bpor: {result.verdict.statement}", *where])])


class _Body:
    """A bpor.extension.template.Body."""

    def __init__(self, item: pytest.Function) -> None:
        self._item = item

    def run(self) -> None:
        __tracebackhide__ = True
        item = self._item
        item.obj(**{name: item.funcargs[name] for name in item._fixtureinfo.argnames})

    def account(self, error: BaseException) -> str:
        self._tell_output()
        return str(self._item.repr_failure(pytest.ExceptionInfo.from_exception(error)))

    def excuse(self, error: BaseException) -> tuple[str, str] | None:
        if isinstance(error, SkipTest):
            return "skip", str(error)
        for name, outcome in _EXCUSES.items():
            if isinstance(error, outcome.Exception):
                return name, str(error)
        return None

    def _tell_output(self) -> None:
        """What was captured in memory is lost with the process: it goes where the controller reads."""
        captured: Any = self._item.config.pluginmanager.getplugin("capturemanager")
        if captured is not None and captured.is_globally_capturing():
            for fd, text in enumerate(captured.read_global_capture(), 1):
                os.write(fd, text.encode("utf-8", "replace"))


class _Method(_Body):
    """Of unittest.TestCase. setUp and tearDown are done by the runner, as fixtures are; what the method itself adds to be cleaned up is
    cleaned up in every execution."""

    def __init__(self, item: pytest.Function, method: Callable[[], None]) -> None:
        super().__init__(item)
        self._method = method

    def run(self) -> None:
        __tracebackhide__ = True
        added = self._item.instance._cleanups
        before = len(added)
        try:
            self._method()
        finally:
            while len(added) > before:
                function, arguments, named = added.pop()
                function(*arguments, **named)
