"""JUnit XML, read back by a parser that is not ours."""

from __future__ import annotations

from dataclasses import replace

import junitparser
import pytest
from junitparser import Error, Failure, JUnitXml, Skipped, TestCase

from bpor.report.checked import Checked
from bpor.report.finding import SourceSite
from bpor.report.junit import junit_xml
from bpor.report.verdict import VerdictKind
from tests.unit.gate_examples import HOSTILE, bug, deadlock, ended, passed


def read(*tests: Checked) -> list[TestCase]:
    xml = JUnitXml.fromstring(junit_xml(tests).encode("utf-8"))
    return [case for suite in xml for case in suite]


def standing(tested: Checked) -> list[type]:
    return [type(result) for result in read(tested)[0].result]


def test_one_search_is_one_testcase_and_the_sums_agree() -> None:
    xml = JUnitXml.fromstring(junit_xml([bug(), passed(), ended(VerdictKind.INTERNAL), ended(VerdictKind.INCONCLUSIVE)]).encode())
    assert (xml.tests, xml.failures, xml.errors, xml.skipped) == (4, 2, 1, 0)
    suite = next(iter(xml))
    assert [case.name for case in suite] == ["bank", "counter", "odd", "odd"]
    assert [case.time for case in suite][:2] == [1.5, 0.25]


def test_a_bug_is_a_failure_that_carries_its_report_and_its_replay_line() -> None:
    case = read(bug())[0]
    (failure,) = case.result
    assert isinstance(failure, Failure)
    assert failure.type == "deadlock"
    assert "See it again" in failure.text
    assert {p.name: p.value for p in case.child(junitparser.Properties)}["replay"].startswith("bpor-native replay ")


@pytest.mark.parametrize(
    ("tested", "expected"),
    [
        (passed(), []),
        (bug(), [Failure]),
        (bug(expected="deadlock"), []),
        (bug(expected="bug"), []),
        (bug(expected="crash"), [Failure]),
        (passed(expected="bug"), [Failure]),
        (passed(lost=("all schedules then, no bound now",)), [Failure]),
        (ended(VerdictKind.INCONCLUSIVE), [Failure]),
        (ended(VerdictKind.INCONCLUSIVE, inconclusive="pass"), [Skipped]),
        (ended(VerdictKind.INCONCLUSIVE, expected="inconclusive"), [Skipped]),
        (ended(VerdictKind.UNCONTROLLED), [Error]),
        (ended(VerdictKind.UNCONTROLLED, uncontrolled="skip"), [Skipped]),
        (ended(VerdictKind.NONDETERMINISTIC), [Error]),
        (ended(VerdictKind.USAGE), [Error]),
        (ended(VerdictKind.INTERNAL), [Error]),
    ],
)
def test_only_the_expected_verdict_is_a_plain_pass(tested: Checked, expected: list[type]) -> None:
    assert standing(tested) == expected


def test_a_googletest_case_stands_under_its_program() -> None:
    case = read(passed("tests/queue_test:Queue.Pops"))[0]
    assert (case.classname, case.name) == ("tests/queue_test", "Queue.Pops")


def test_hostile_names_and_output_stay_text() -> None:
    end = replace(deadlock().trace.end, stdout=HOSTILE.encode("utf-8", "surrogateescape"), stderr=b"\xff\x00]]>")
    site = SourceSite(f"/src/{HOSTILE}.c", 3, HOSTILE, HOSTILE)
    finding = replace(deadlock(site), message=HOSTILE, trace=replace(deadlock().trace, end=end), replay=HOSTILE)
    case = read(bug(HOSTILE, finding))[0]
    name = f"{case.classname}:{case.name}"
    assert "<script>alert(1)</script>&amp;" in name
    assert "\\x1b[31m\\x00" in name
    assert "<script>" in case.system_out
