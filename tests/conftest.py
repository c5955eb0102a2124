"""What every test may ask for: `@pytest.mark.needs("g++")` skips where a tool is missing, and the run ends with one line per missing tool.

With BPOR_TEST_REQUIRE_ALL=1 every skip is a failure: a machine that should have everything must not pass by skipping.
"""

from __future__ import annotations

import os
import shutil
import signal
import sys
import sysconfig
from collections.abc import Generator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

# Tools that come from PyPI (cmake, meson, ninja) stand beside the interpreter, which need not be on the PATH.
os.environ["PATH"] = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
# What a shell starts in the background ignores interrupts, and so would every tool that a test interrupts.
signal.signal(signal.SIGINT, signal.default_int_handler)
# A busy machine is no fault of a program that is tried: no example has to be quick.
settings.register_profile("patient", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("patient")
REQUIRE_ALL = os.environ.get("BPOR_TEST_REQUIRE_ALL") == "1"
_MISSING = pytest.StashKey[dict[str, int]]()


def is_there(tool: str) -> bool:
    """A command, or a header of this interpreter's: Python.h."""
    return shutil.which(tool) is not None or (tool.endswith(".h") and Path(sysconfig.get_path("include"), tool).exists())


def missing_tools(item: pytest.Item) -> list[str]:
    return [tool for mark in item.iter_markers("needs") for tool in mark.args if not is_there(tool)]


def pytest_runtest_setup(item: pytest.Item) -> None:
    if missing := missing_tools(item):
        pytest.skip(f"needs {', '.join(missing)}")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    if report.skipped and missing_tools(item):
        report.user_properties.append(("missing", missing_tools(item)))
    if report.skipped and REQUIRE_ALL and not hasattr(report, "wasxfail"):
        reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else report.longrepr
        report.outcome = "failed"
        report.longrepr = f"BPOR_TEST_REQUIRE_ALL=1 and this was skipped: {reason}"
    return report


def pytest_configure(config: pytest.Config) -> None:
    config.stash[_MISSING] = {}
    config.pluginmanager.register(_Missing(config.stash[_MISSING]), "missing-tools")


class _Missing:
    """Collects, also from xdist's workers, which tools were missed by how many tests."""

    def __init__(self, counts: dict[str, int]) -> None:
        self.counts = counts

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        for name, tools in report.user_properties:
            if name == "missing" and isinstance(tools, list):
                for tool in tools:
                    self.counts[tool] = self.counts.get(tool, 0) + 1


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    for tool, tests in sorted(terminalreporter.config.stash[_MISSING].items()):
        terminalreporter.write_line(f"missing tool: {tool} ({tests} tests skipped)")
