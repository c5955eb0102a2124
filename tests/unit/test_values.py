"""What the API returns: values that pickle, compare and print well."""

from __future__ import annotations

import pickle

from bpor.replaying import replay_target
from bpor.report.html import html_page
from bpor.report.text import text_report
from bpor.settings import Settings
from bpor.simulate.notation import parse
from tests.unit.test_api import ABBA, ASSERTS, Simulated, checked


def test_a_result_with_everything_in_it_survives_pickling() -> None:
    result = checked(ABBA, bound="preemption:1")
    (finding,) = result.findings
    assert finding.why is not None
    again = pickle.loads(pickle.dumps(result))
    assert again == result
    assert (again.findings[0].argv, again.findings[0].settings) == (("./simulated", "x"), Settings(bound="preemption:1"))


def test_values_print_as_a_sentence() -> None:
    result = checked(ABBA, bound="preemption:1")
    (finding,) = result.findings
    assert str(result).startswith("bug: deadlock")
    assert str(finding).startswith("deadlock: ")
    assert str(finding.why) == "it passes if T1's lock mutex#1 runs before T0's lock mutex#1"
    assert str(finding.trace) == f"deadlock after 2 steps: {finding.schedule}"


def test_the_reason_is_in_the_report_with_a_command_that_shows_it() -> None:
    (finding,) = checked(ASSERTS).findings
    assert finding.why is not None
    text = text_report(finding)
    assert "It passes if" in text
    assert finding.why.replay in text
    passing = replay_target(Simulated(parse(ASSERTS)).target, finding.why.schedule, Settings())
    assert passing.verdict.kind.value == "pass"


def test_a_replay_explains_itself_too() -> None:
    (finding,) = checked(ABBA, bound="preemption:1").findings
    again = replay_target(Simulated(parse(ABBA)).target, finding.schedule, finding.settings)
    assert again.findings[0].why is not None
    assert again.findings[0].why == finding.why


def test_a_page_can_be_made_of_a_simulated_program() -> None:
    assert "simulated" in html_page(checked(ABBA, bound="preemption:1"))
