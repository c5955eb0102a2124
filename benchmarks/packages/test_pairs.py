"""Every pair of a package's operations, in both modes. Run by survey.py, which builds the packages first."""

from __future__ import annotations

import os
from typing import Any

import pytest

from benchmarks.packages.subjects import SUBJECTS, Pair, pairs

EXECUTIONS = int(os.environ.get("BPOR_SURVEY_EXECUTIONS", "2000"))
SECONDS = int(os.environ.get("BPOR_SURVEY_SECONDS", "120"))
PACKAGE = os.environ.get("BPOR_SURVEY_PACKAGE")  # the one that is on the path


def cases() -> list[Any]:
    chosen = (subject for subject in SUBJECTS if PACKAGE in (None, subject.package))
    return [pytest.param(pair, id=str(pair), marks=how(pair.gil)) for subject in chosen for pair in pairs(subject)]


def how(gil: str) -> pytest.MarkDecorator:
    return pytest.mark.bpor(bound="preemption:1", gil=gil, max_executions=EXECUTIONS, max_time=SECONDS)


@pytest.fixture
def imported(pair: Pair) -> None:
    """In the runner, once: to look for a module on the path is not the same work every time."""
    pair.subject.make()


@pytest.mark.usefixtures("imported")
@pytest.mark.parametrize("pair", cases())
def test_pair(bpor: Any, pair: Pair) -> None:
    known = pair.subject.every
    bpor.linearizable(pair.subject.make, known[pair.first], known[pair.second], observe=pair.subject.observe)
