"""Every pair of a package's operations, in both modes. Run by survey.py, which builds the packages first."""

from __future__ import annotations

import itertools
import json
import os
from typing import Any

import pytest

from benchmarks.packages.subjects import SUBJECTS, Subject

EXECUTIONS = int(os.environ.get("BPOR_SURVEY_EXECUTIONS", "2000"))


def cases() -> list[Any]:
    return [
        pytest.param(
            subject,
            *pair,
            id=f"{subject.package}-{subject.what}-{gil}-{pair[0]}-{pair[1]}",
            marks=pytest.mark.bpor(bound="preemption:1", gil=gil, max_executions=EXECUTIONS),
        )
        for subject in SUBJECTS
        for gil in subject.modes
        for pair in itertools.combinations_with_replacement(operations(subject, gil), 2)
    ]


def operations(subject: Subject, gil: str) -> dict[str, Any]:
    return {**subject.operations, **(subject.with_gil if gil == "real" else {})}


@pytest.fixture(autouse=True)
def tell_which(request: pytest.FixtureRequest, record_property: Any) -> None:
    """For the survey, which reads JUnit's file."""
    pair, marker = request.node.callspec.params, request.node.get_closest_marker("bpor")
    subject = pair["subject"]
    record_property("pair", json.dumps([subject.package, subject.what, marker.kwargs["gil"], pair["first"], pair["second"]]))


@pytest.mark.parametrize("subject, first, second", cases())
def test_pair(bpor: Any, subject: Subject, first: str, second: str) -> None:
    known = {**subject.operations, **subject.with_gil}
    bpor.linearizable(subject.make, known[first], known[second], observe=subject.observe)
