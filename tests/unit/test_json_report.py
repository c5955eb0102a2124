"""The JSON report is what the shipped schema says, whatever the verdict."""

from __future__ import annotations

import json
from typing import Any

import jsonschema
import pytest

from bpor.checking import check_target
from bpor.report.finding import FindingKind
from bpor.report.json_report import schema, to_json, to_text
from bpor.report.result import Output, Result
from bpor.report.verdict import VerdictKind, of_error
from bpor.settings import Settings
from bpor.simulate.notation import parse
from bpor.target.census import take_census
from bpor.target.program import inspect_program
from tests.unit.closed_schema import closed_schema
from tests.unit.test_api import ABBA, COUNTER, Simulated


def reported(text: str, **knobs: Any) -> dict[str, Any]:
    result = check_target(Simulated(parse(text)).target, Settings(**knobs))
    document: dict[str, Any] = json.loads(to_text(result))
    jsonschema.validate(document, closed_schema())
    return document


def test_the_schema_is_a_schema() -> None:
    jsonschema.Draft202012Validator.check_schema(schema())


def test_a_pass_is_reported_with_its_numbers() -> None:
    document = reported("Wx; Wx | Wx; Wx", bound="preemption:0..1", outcomes=True)
    assert (document["verdict"], document["exit_code"], document["exit_reason"]) == ("pass", 0, "exhausted")
    assert (document["bounds"], document["completed_bounds"]) == ({"preemption": 1}, ["preemption:0", "preemption:1"])
    assert (document["threads"], document["search"], document["program"]) == (2, "bpor", ["./simulated", "x"])
    assert document["outcomes"][0]["count"] == document["executions"] - document["redundant"]
    assert document["options"]["bound"] == "preemption:0..1"


def test_a_finding_is_reported_with_its_steps_and_its_replay_line() -> None:
    (finding,) = reported(ABBA, bound="preemption:1")["findings"]
    assert (finding["kind"], finding["preemptions"], finding["schedule"]) == ("deadlock", 1, "0,1")
    assert [(step["thread"], step["op"]) for step in finding["steps"]] == [(0, "lock"), (1, "lock")]
    assert finding["replay"].startswith("bpor-native replay 0,1 ")


def test_an_unfinished_search_carries_an_estimate() -> None:
    document = reported("Wx;Wx;Wx | Wx;Wx;Wx | Wx;Wx;Wx", bound="none", max_executions=10)
    assert document["verdict"] == "inconclusive"
    assert document["estimate"]["low"] <= document["estimate"]["expected"] <= document["estimate"]["high"]


@pytest.mark.parametrize("code", [2, 4, 5, 99])
def test_a_run_that_never_came_to_a_search_is_reported_too(code: int) -> None:
    document = to_json(Result(("./t",), Settings(bound="not a bound"), of_error(code, "why")))
    jsonschema.validate(document, closed_schema())
    assert (document["executions"], document["exit_reason"], document["exit_code"]) == (0, "no search", code)


def test_the_census_of_a_real_program_fits_the_schema() -> None:
    census = take_census(inspect_program("/bin/ls"))
    document = to_json(Result(("ls",), Settings(), of_error(4, "why"), census=census))
    jsonschema.validate(document, closed_schema())
    assert document["census"]["program"] == "/bin/ls"


def test_output_that_is_no_text_is_still_json() -> None:
    output = Output(b"\xff\x00\n", 3, truncated=True)
    document = json.loads(to_text(Result(("./t",), Settings(), of_error(4, "why"), outcomes=(output,))))
    jsonschema.validate(document, closed_schema())
    assert (document["outcomes"][0]["truncated"], document["outcomes"][0]["count"]) == (True, 3)


def test_the_schema_knows_every_kind_of_finding_and_verdict() -> None:
    properties = schema()["properties"]
    assert set(properties["findings"]["items"]["properties"]["kind"]["enum"]) == {kind.value for kind in FindingKind}
    assert set(properties["verdict"]["enum"]) == {kind.value for kind in VerdictKind}


def test_a_missing_a_wrong_and_an_undescribed_field_would_be_noticed() -> None:
    document = reported(COUNTER, bound="none")
    without = {name: document[name] for name in document if name != "threads"}
    for broken in ({**document, "verdict": "fine"}, without, {**document, "undescribed": 1}):
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(broken, closed_schema())
