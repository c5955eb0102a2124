"""The pytest plugin: `pytest --bpor` runs marked tests, and those that use the `bpor` fixture, under every schedule that matters.

Every pytest in an environment with this package loads the plugin, so it imports only what it needs.
"""

from __future__ import annotations

import inspect
import unittest
from collections import Counter
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
AUTO, MARKED = "auto", "marked"  # which tests are explored


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("bpor", "every thread schedule that matters (bpor-native)")
    marked = "explore the schedules of marked tests and of those that use the bpor fixture"
    for option, chosen, text in (
        ("--bpor", MARKED, marked),
        ("--bpor=marked", MARKED, "the same"),
        ("--bpor=auto", AUTO, "explore every test that starts a thread"),
    ):  # options of their own: one with an optional value would take the next word for it
        group.addoption(option, action="store_const", const=chosen, dest="bpor", help=text)
    group.addoption("--bpor-replay", metavar="VALUE", help="only the schedule that a report names")
    group.addoption("--bpor-bound", metavar="BOUND", help="instead of the markers': fair:2,preemption:2 (default)")
    group.addoption("--bpor-gil", metavar="real|off", help="instead of the markers': off simulates free threading")
    group.addoption("--bpor-max-executions", metavar="N", help="instead of the markers': stop after so many schedules of a test")
    group.addoption("--bpor-max-time", metavar="T", help="instead of the markers': stop a test's search after this time (default 60s)")
    group.addoption(
        "--bpor-require", metavar="memory|calls", help="instead of the markers': what must be seen (default under gil=off: memory)"
    )
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
    if not _is_on(item.config.option) or not (_is_marked(item) or _is_taken(item)):
        return None
    if _TEST not in item.stash:
        from bpor.extension.pytest_test import PytestTest

        item.stash[_TEST] = PytestTest(item)
    return item.stash[_TEST]


def _is_marked(item: pytest.Item) -> bool:
    return item.get_closest_marker("bpor") is not None or "bpor" in getattr(item, "fixturenames", ())


def _is_taken(item: pytest.Item) -> bool:
    """By --bpor=auto."""
    return item.config.option.bpor == AUTO and isinstance(item, pytest.Function) and not _of_a_kind_that_cannot(item)


def _of_a_kind_that_cannot(item: pytest.Item) -> str:
    if not isinstance(item, pytest.Function):
        return "not functions"
    return "coroutines" if inspect.iscoroutinefunction(item.obj) else ""


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Not quietly run once."""
    if _test_of(item) is not None and (kind := _of_a_kind_that_cannot(item)):
        pytest.fail(f"bpor: {kind} cannot be explored; write a plain test function, which may call asyncio.run()", pytrace=False)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_call(item: pytest.Item) -> None:
    """Methods of unittest.TestCase are called by unittest, between setUp and tearDown."""
    test = _test_of(item)
    if test is not None and isinstance(item, pytest.Function) and item.cls is not None and issubclass(item.cls, unittest.TestCase):
        test.take_the_place_of(item.obj)


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
    if _is_on(item.config.option) and (call.when == "call" or (call.when == "setup" and not report.passed)):
        report.user_properties = [*report.user_properties, ("bpor_unexplored", _why_unexplored(item, report))]  # not for JUnit
    return report


def _why_unexplored(item: pytest.Item, report: pytest.TestReport) -> str:
    """Empty: its schedules were run. One that is known to fail is told as skipped by pytest, and was run."""
    known_to_fail = hasattr(report, "wasxfail") and report.when == "call"
    if report.skipped and not known_to_fail:
        return "skipped"
    if _test_of(item) is None:
        return "not marked" if item.config.option.bpor != AUTO else _of_a_kind_that_cannot(item)
    if _properties(report).get("bpor_verdict") in _SAY_NOTHING:
        return "not under control"
    if report.when == "setup" or (not report.passed and "bpor_verdict" not in _properties(report)):
        return "failed before"
    return "" if _properties(report).get("bpor_schedules") else "started no thread"


def pytest_report_teststatus(report: pytest.TestReport) -> tuple[str, str, str] | None:
    """A test that could not be controlled says nothing about the code: an error, not a failure."""
    failed = report.when == "call" and report.failed and _properties(report).get("bpor_verdict") in _SAY_NOTHING
    return ("error", "E", "ERROR") if failed else None


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> Generator[None, Any, Any]:
    """Its last line, behind what pytest itself sums up."""
    answer = yield
    reports = [report for reports in terminalreporter.stats.values() for report in reports]
    told = {report.nodeid: text for report in reports if (text := _properties(report).get("bpor")) is not None}
    if told and terminalreporter.verbosity > 0:
        terminalreporter.section("bpor")
        for nodeid, text in told.items():
            terminalreporter.write_line(f"{nodeid}: {text}")
    if _is_on(config.option):
        terminalreporter.write_line(_summary([found for report in reports if "bpor_unexplored" in (found := _properties(report))], config))
    return answer


def _summary(tests: list[dict[str, Any]], config: pytest.Config) -> str:
    """`bpor: explored 4 of 7 tests, 1,204 schedules; not explored: 3 (not marked)`."""
    schedules = sum(told.get("bpor_schedules", 0) for told in tests)
    reasons = Counter(why for told in tests if (why := told["bpor_unexplored"]))
    explored = len(tests) - reasons.total()
    run = f"explored {explored or 'none'} of {len(tests)} test{'s' * (len(tests) != 1)}" + (
        f", {schedules:,} schedules" if explored else ""
    )
    left = "; not explored: " + ", ".join(f"{count} ({why})" for why, count in reasons.most_common()) if reasons else ""
    hint = "; --bpor=auto explores those that start threads" if not explored and reasons["not marked"] and config.option.bpor else ""
    return f"bpor: {run}{left}{hint}"


def _properties(report: Any) -> dict[str, Any]:
    return dict(getattr(report, "user_properties", ()))
