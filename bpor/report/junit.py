"""Tests as JUnit XML, in the form that Jenkins, GitLab and GitHub's readers share: one testcase per search.

Invariant: every character that XML cannot hold is written as an escape, so the file is well-formed whatever a program printed or is called.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime
from xml.etree import ElementTree

from bpor.report.checked import Checked, Standing
from bpor.report.finding import Finding
from bpor.report.relative_path import relative_path
from bpor.report.result import Result
from bpor.report.text import text_report
from bpor.report.verdict import VerdictKind
from bpor.version import VERSION

# What XML 1.0 does not allow in any form.
_ILLEGAL = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_KEPT = 64 * 1024  # bytes of a program's output


def junit_xml(tests: Sequence[Checked], suite: str = "bpor-native") -> str:
    counts = Counter(tested.standing for tested in tests)
    numbers = {
        "tests": str(len(tests)),
        "failures": str(counts[Standing.FAILED]),
        "errors": str(counts[Standing.ERROR]),
        "skipped": str(counts[Standing.SKIPPED]),
        "time": f"{sum(tested.seconds for tested in tests):.3f}",
    }
    root = ElementTree.Element("testsuites", {"name": "bpor-native", **numbers})
    when = datetime.now(UTC).isoformat(timespec="seconds").removesuffix("+00:00")
    inner = ElementTree.SubElement(root, "testsuite", {"name": legal(suite), **numbers, "timestamp": when})
    for tested in tests:
        _testcase(inner, tested)
    ElementTree.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ElementTree.tostring(root, encoding="unicode") + "\n"


def legal(text: str) -> str:
    return _ILLEGAL.sub(lambda match: f"\\x{ord(match[0]):02x}", text)


def _testcase(parent: ElementTree.Element, tested: Checked) -> None:
    program, _, inner = tested.name.rpartition(":")
    names = {"classname": legal(program or "bpor-native"), "name": legal(inner), "time": f"{tested.seconds:.3f}", **_place(tested.result)}
    element = ElementTree.SubElement(parent, "testcase", names)
    _properties(element, tested.result)
    summary = legal(tested.summary)
    match tested.standing:
        case Standing.FAILED:
            kind = tested.result.findings[0].kind.value if tested.result.findings else tested.result.verdict.kind.value
            failure = ElementTree.SubElement(element, "failure", {"type": kind, "message": legal(_headline(tested))})
            failure.text = legal("\n\n".join(text_report(finding) for finding in tested.result.findings) or tested.summary)
        case Standing.ERROR:
            error = ElementTree.SubElement(element, "error", {"type": tested.result.verdict.kind.value, "message": summary})
            error.text = summary
        case Standing.SKIPPED:
            ElementTree.SubElement(element, "skipped", {"message": summary})
    lines = [*(f"warning: {text}" for text in tested.warnings), tested.result.verdict.statement]
    ElementTree.SubElement(element, "system-out").text = legal("\n".join(lines) + _output(tested.result.findings))


def _headline(tested: Checked) -> str:
    """What readers of the file show in a list: the sentence that the report begins with."""
    findings = tested.result.findings
    if not findings or tested.result.verdict.kind is not VerdictKind.BUG:
        return tested.summary
    return f"{findings[0]}{f' (and {len(findings) - 1} more)' if len(findings) > 1 else ''}"


def _place(result: Result) -> dict[str, str]:
    """Where it failed, relative to where we are if it lies below: GitLab and others link a failed test to its `file`."""
    site = result.findings[0].site if result.findings else None
    if site is None or not site.line:
        return {}
    return {"file": legal(relative_path(site.file)), "line": str(site.line)}


def _properties(element: ElementTree.Element, result: Result) -> None:
    """The numbers; and the tool, since one file may gather several."""
    search = result.search
    values = {"tool": f"bpor-native {VERSION}", "verdict": result.verdict.kind.value, "coverage": result.verdict.coverage}
    if search is not None:
        values |= {"executions": str(search.executions), "threads": str(search.counts.threads)}
        values["completed"] = search.strongest.statement() if search.strongest is not None else "no bound"
    for finding in result.findings[:1]:
        values |= {"schedule": str(finding.schedule), "replay": finding.replay}
    properties = ElementTree.SubElement(element, "properties")
    for name, value in values.items():
        ElementTree.SubElement(properties, "property", {"name": name, "value": legal(value)})


def _output(findings: Sequence[Finding]) -> str:
    """What the program printed in the first failing execution."""
    if not findings:
        return ""
    end = findings[0].trace.end
    return "\n" + (end.stdout[-_KEPT:] + end.stderr[-_KEPT:]).decode("utf-8", "replace")
