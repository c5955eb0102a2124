"""SARIF against OASIS's schema, and what viewers rely on beyond it."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any
from urllib.parse import unquote, urlsplit

import jsonschema
import pytest

from bpor.report.checked import Checked
from bpor.report.finding import Finding, FindingKind, SourceSite
from bpor.report.sarif import FINGERPRINT, fingerprint, sarif, sarif_text
from bpor.report.verdict import VerdictKind
from tests.unit.gate_examples import HERE, HOSTILE, bug, deadlock, ended, passed, searched
from tests.unit.sarif_schema import sarif_schema


def run_of(*tests: Checked, root: str = "/src") -> dict[str, Any]:
    log = sarif(tests, root)
    jsonschema.Draft7Validator(sarif_schema(), format_checker=jsonschema.FormatChecker()).validate(log)
    run: dict[str, Any] = log["runs"][0]
    return run


def test_a_log_without_findings_is_valid_and_has_every_rule() -> None:
    run = run_of(passed())
    assert run["results"] == []
    assert [rule["id"] for rule in run["tool"]["driver"]["rules"]] == [f"bpor/{kind.value}" for kind in FindingKind]


def test_the_schema_would_refuse_what_is_wrong() -> None:
    log = sarif([bug()])
    log["runs"][0]["results"][0]["codeFlows"][0]["threadFlows"][0]["locations"][0]["executionOrder"] = "first"
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(log, sarif_schema())


def test_every_thread_has_a_flow_and_the_order_counts_over_all_of_them() -> None:
    (result,) = run_of(bug())["results"]
    flows = result["codeFlows"][0]["threadFlows"]
    finding = deadlock()
    assert len(flows) == len({step.thread for step in finding.steps})
    order = sorted((location["executionOrder"], flow["id"]) for flow in flows for location in flow["locations"])
    labels = {thread.number: thread.label for thread in finding.threads}
    assert order == [(number, labels[step.thread]) for number, step in enumerate(finding.steps)]


def test_a_file_below_the_root_is_relative_to_it_and_another_is_not() -> None:
    places = [run_of(bug(), root=root)["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"] for root in ("/src", "/other")]
    assert places == [{"uri": "bank.c", "uriBaseId": "SRCROOT"}, {"uri": "file:///src/bank.c"}]


def test_the_rule_index_points_at_the_rule() -> None:
    for kind in FindingKind:
        run = run_of(bug(finding=replace(deadlock(), kind=kind)))
        result = run["results"][0]
        assert run["tool"]["driver"]["rules"][result["ruleIndex"]]["id"] == result["ruleId"] == f"bpor/{kind.value}"


def test_a_fingerprint_survives_moved_lines_paths_and_schedules() -> None:
    moved = deadlock(replace(HERE, file="/elsewhere/bank.c", line=99), replay="another")
    assert fingerprint(moved) == fingerprint(deadlock())
    assert run_of(bug())["results"][0]["partialFingerprints"] == {FINGERPRINT: fingerprint(deadlock())}


@pytest.mark.parametrize("site", [replace(HERE, function="refund"), replace(HERE, source="lock(&other);"), replace(HERE, file="/src/b.c")])
def test_another_place_has_another_fingerprint(site: SourceSite) -> None:
    assert fingerprint(deadlock(site)) != fingerprint(deadlock())


def test_another_kind_has_another_fingerprint() -> None:
    assert fingerprint(replace(deadlock(), kind=FindingKind.LIVELOCK)) != fingerprint(deadlock())


def test_what_is_no_pass_and_no_finding_is_said_as_a_notification() -> None:
    run = run_of(ended(VerdictKind.INCONCLUSIVE), ended(VerdictKind.UNCONTROLLED, uncontrolled="skip"), passed())
    notes = run["invocations"][0]["toolExecutionNotifications"]
    assert [(note["descriptor"]["id"], note["level"]) for note in notes] == [
        ("bpor/inconclusive", "error"),
        ("bpor/uncontrolled", "warning"),
    ]
    assert run["invocations"][0]["executionSuccessful"] is True
    assert run_of(ended(VerdictKind.INTERNAL))["invocations"][0]["executionSuccessful"] is False


def test_a_suppressed_finding_is_there_and_marked() -> None:
    tested = Checked("bank", replace(searched(), findings=(), suppressed=(deadlock(),)))
    (result,) = run_of(tested)["results"]
    assert result["suppressions"] == [{"kind": "external"}]


def test_a_finding_without_places_is_valid() -> None:
    bare: Finding = searched().findings[0]
    assert run_of(bug(finding=bare))["results"][0]["locations"] == []


def test_hostile_names_stay_text_and_paths_stay_uris() -> None:
    site = SourceSite(f"/src/{HOSTILE.replace(chr(0), '')}.c", 3, HOSTILE, HOSTILE)
    tested = bug(HOSTILE, replace(deadlock(site), message=HOSTILE, replay=HOSTILE))
    run = run_of(tested)
    text = sarif_text([tested])
    assert text.isascii()
    assert json.loads(text)["version"] == "2.1.0"
    uri = run["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
    assert urlsplit(uri).path == uri
    assert unquote(uri, errors="surrogateescape") == site.file.removeprefix("/src/")
