"""The pytest plugin: `pytest --bpor` runs marked tests, and those that use the `bpor` fixture, under every schedule that matters.

Loaded by every pytest where the package is installed, so what is not needed is not imported.
"""

from __future__ import annotations

import inspect
import unittest
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import pytest

from bpor.errors import BporError

if TYPE_CHECKING:
    from bpor.extension.pytest_test import PytestTest
    from bpor.extension.region import Region

_SAY_NOTHING = ("uncontrolled", "nondeterministic", "internal")  # verdicts
_TEST = pytest.StashKey["PytestTest"]()


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("bpor", "every thread schedule that matters (bpor-native)")
    group.addoption("--bpor", action="store_true", help="explore the schedules of marked tests and of those that use the bpor fixture")
    group.addoption("--bpor-replay", metavar="VALUE", help="only the schedule that a report names")
    group.addoption("--bpor-bound", metavar="BOUND", help="instead of the markers': fair:2,preemption:2 (default)")
    group.addoption("--bpor-gil", metavar="real|off", help="instead of the markers': off simulates free threading")
    group.addoption("--bpor-max-executions", metavar="N", help="instead of the markers': stop after so many schedules of a test")
    group.addoption("--bpor-max-time", metavar="T", help="instead of the markers': stop a test's search after this time (default 60s)")
    group.addoption("--bpor-watchdog", metavar="SECONDS", help="give up on a thread that runs out of sight for so long (default 10)")
    group.addoption(
        "--bpor-inconclusive", choices=("fail", "pass"), default="fail", help="pass: a search that did not finish is no failure"
    )


def _is_on(options: Any) -> bool:
    return bool(options.bpor or options.bpor_replay)


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_load_initial_conftests(early_config: pytest.Config) -> Generator[None, Any, Any]:
    """Before output is captured and anything of the tests is imported."""
    if _is_on(early_config.known_args_namespace):
        from bpor.extension.pytest_start import make_sure_of_control

        with _as_usage_error():
            make_sure_of_control(early_config)
    return (yield)


@contextmanager
def _as_usage_error() -> Iterator[None]:
    try:
        yield
    except BporError as error:
        raise pytest.UsageError(f"--bpor: {error}") from None


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line(
        "markers", "bpor(bound=None, gil='real', max_executions=None, ...): with --bpor, explore this test's thread schedules"
    )
    if _is_on(config.option):
        from bpor.extension.pytest_settings import settings_given

        with _as_usage_error():
            settings_given(config)


def pytest_report_header(config: pytest.Config) -> str:
    if not _is_on(config.option):
        return "bpor: off"
    from bpor.extension.pytest_start import header

    return header(config)


@pytest.fixture
def bpor(request: pytest.FixtureRequest) -> Region:
    """`threads(f, g)`, `linearizable(make, op1, op2, observe=...)` and `check(fn)`; with --bpor, under every schedule that matters."""
    from bpor.extension.region import Region

    test = _test_of(request.node)
    return Region() if test is None else test.region()


def _test_of(item: pytest.Item) -> PytestTest | None:
    """None: it is a test like any other."""
    chosen = item.get_closest_marker("bpor") is not None or "bpor" in getattr(item, "fixturenames", ())
    if not chosen or not _is_on(item.config.option):
        return None
    if _TEST not in item.stash:
        from bpor.extension.pytest_test import PytestTest

        item.stash[_TEST] = PytestTest(item)
    return item.stash[_TEST]


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Not quietly run once."""
    if _test_of(item) is not None and isinstance(item, pytest.Function):
        if item.cls is not None and issubclass(item.cls, unittest.TestCase):
            pytest.fail("bpor: methods of unittest.TestCase cannot be explored; write a plain test function", pytrace=False)
        if inspect.iscoroutinefunction(item.obj):
            pytest.fail("bpor: coroutines cannot be explored; write a plain test function", pytrace=False)


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    test = _test_of(pyfuncitem)
    if test is None:
        return None
    test.run()
    return True


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Generator[None, Any, Any]:
    report = yield
    test = item.stash.get(_TEST, None)
    if test is not None and call.when == "call":
        test.complete(report, call)
    return report


def pytest_report_teststatus(report: pytest.TestReport) -> tuple[str, str, str] | None:
    """A test that could not be controlled says nothing about the code: an error, not a failure."""
    failed = report.when == "call" and report.failed and _properties(report).get("bpor_verdict") in _SAY_NOTHING
    return ("error", "E", "ERROR") if failed else None


def pytest_terminal_summary(terminalreporter: Any) -> None:
    if terminalreporter.verbosity < 1:
        return
    reports = (report for reports in terminalreporter.stats.values() for report in reports)
    told = {report.nodeid: text for report in reports if (text := _properties(report).get("bpor")) is not None}
    if told:
        terminalreporter.section("bpor")
        for nodeid, text in told.items():
            terminalreporter.write_line(f"{nodeid}: {text}")


def _properties(report: Any) -> dict[str, Any]:
    return dict(getattr(report, "user_properties", ()))
