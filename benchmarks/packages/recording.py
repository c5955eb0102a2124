"""A plugin of pytest: pairs that the survey knows already are left out; what comes of the others is recorded."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from benchmarks.packages.record import Ended, Record

RECORD = Record(Path(os.environ["BPOR_SURVEY_RECORD"]))


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    known = RECORD.ended()
    items[:] = [item for item in items if pair_of(item.nodeid) not in known]


def pytest_runtest_logstart(nodeid: str) -> None:
    RECORD.begin(pair_of(nodeid))


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    if report.when == "call" or report.failed:
        told = dict(report.user_properties)
        kind = told.get("bpor_finding", told.get("bpor_verdict", "uncontrolled"))
        says = told.get("bpor", report.longreprtext)
        RECORD.end(pair_of(report.nodeid), Ended(kind, told.get("bpor_schedules", 0), says, told.get("bpor_replay", "")))


def pair_of(nodeid: str) -> str:
    return nodeid.partition("[")[2].removesuffix("]")
