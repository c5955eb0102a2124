"""Findings as SARIF 2.1.0 (OASIS): code scanners show the interleaving step by step.

Invariant: a rule's id and a finding's fingerprint do not change with line numbers, addresses, paths or the order of tests, so that the same
bug is the same alert tomorrow. One threadFlow per thread; `executionOrder` counts over all of them.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Sequence
from typing import Any
from urllib.parse import quote

from bpor.report.checked import Checked, Standing
from bpor.report.finding import Finding, FindingKind, SourceSite, SourceStep
from bpor.report.verdict import VerdictKind
from bpor.version import VERSION

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/os/schemas/sarif-schema-2.1.0.json"
FINGERPRINT = "bporNative/v1"
_ROOT = "SRCROOT"
_STEPS = 2000  # of one execution: viewers choke on more
_RULES = {
    FindingKind.DEADLOCK: "Threads wait for each other for ever",
    FindingKind.LIVELOCK: "Threads go round for ever without progress",
    FindingKind.ASSERTION: "An assertion fails in some schedule",
    FindingKind.CRASH: "A fatal signal in some schedule",
    FindingKind.TERMINATE: "An exception ends the program in some schedule",
    FindingKind.EXIT: "The program exits with an error in some schedule",
    FindingKind.RACE: "Two threads access memory at the same time, one of them writing",
    FindingKind.MISUSE: "A synchronisation object is used as POSIX does not allow",
    FindingKind.MEMORY: "Memory is used after it was freed, or out of bounds",
    FindingKind.NONLINEARIZABLE: "No sequential order explains the results",
}

_REPEAT = "The replay line of the result repeats the schedule in which it happens, every time."
_HELP = {
    FindingKind.DEADLOCK: "Take the locks in one order everywhere, or let nobody wait while holding what the other needs.",
    FindingKind.LIVELOCK: "Let one of the threads win: wait for the other instead of trying again, or retry in different orders.",
    FindingKind.ASSERTION: "The code flow shows in which order the threads ran; what the assertion relies on is not protected in between.",
    FindingKind.CRASH: "The code flow shows in which order the threads ran; look for an object that another thread changed or freed.",
    FindingKind.TERMINATE: "Catch the exception in the thread that throws it, and join every std::thread before it is destroyed.",
    FindingKind.EXIT: "The code flow shows the order in which the threads ran before the program reported its failure.",
    FindingKind.RACE: "Protect both accesses by one lock, or make them atomic.",
    FindingKind.MISUSE: "Look at who owns the object at that point: another thread unlocks it, it is destroyed in use, or not initialised.",
    FindingKind.MEMORY: "Join the threads that use the memory, or share its ownership, before it is freed.",
    FindingKind.NONLINEARIZABLE: "An operation can be seen half done: make its steps one critical section.",
}


def sarif_text(tests: Sequence[Checked]) -> str:
    return json.dumps(sarif(tests), indent=1, ensure_ascii=True) + "\n"


def sarif(tests: Sequence[Checked], root: str | None = None) -> dict[str, Any]:
    """`root`: paths below it are written relative to it (default: where we are)."""
    places = _Places(root or os.getcwd())
    kinds = list(_RULES)
    results = [places.result(kinds, tested, finding, False) for tested in tests for finding in tested.result.findings]
    results += [places.result(kinds, tested, finding, True) for tested in tests for finding in tested.result.suppressed]
    return {
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [
            {
                "tool": {"driver": {"name": "bpor-native", "semanticVersion": VERSION, "rules": [_rule(kind) for kind in kinds]}},
                "columnKind": "unicodeCodePoints",
                "originalUriBaseIds": {_ROOT: {"uri": places.base}},
                "invocations": [_invocation(tests)],
                "results": results,
            }
        ],
    }


def fingerprint(finding: Finding) -> str:
    """The kind and the places that make it this bug, by function and source text: for a deadlock those of everybody in the cycle."""
    sites = [thread.site for thread in finding.threads if thread.number in finding.cycle] or [finding.site]
    named = sorted({(site.function, os.path.basename(site.file), site.source) for site in sites if site is not None})
    return hashlib.sha256(json.dumps([finding.kind.value, named]).encode("utf-8", "surrogatepass")).hexdigest()[:32]


def _rule(kind: FindingKind) -> dict[str, Any]:
    return {
        "id": f"bpor/{kind.value}",
        "name": kind.value.capitalize(),
        "shortDescription": {"text": _RULES[kind]},
        "fullDescription": {"text": f"{_RULES[kind]}. {_HELP[kind]}"},
        "help": {"text": f"{_HELP[kind]} {_REPEAT}"},
        "defaultConfiguration": {"level": "error"},
    }


def _invocation(tests: Sequence[Checked]) -> dict[str, Any]:
    """What is not a finding and yet no pass: said by the tool about its own run."""
    notes = [_notification(tested) for tested in tests if not tested.result.findings and tested.standing is not Standing.PASSED]
    notes += [{"level": "warning", "message": {"text": _text(f"{t.name}: {warning}")}} for t in tests for warning in t.warnings]
    faults = (VerdictKind.INTERNAL, VerdictKind.USAGE)
    return {
        "executionSuccessful": all(tested.result.verdict.kind not in faults for tested in tests),
        "toolExecutionNotifications": notes,
    }


def _notification(tested: Checked) -> dict[str, Any]:
    level = "warning" if tested.standing is Standing.SKIPPED else "error"
    return {
        "descriptor": {"id": f"bpor/{tested.result.verdict.kind.value}"},
        "level": level,
        "message": {"text": _text(f"{tested.name}: {tested.summary}")},
    }


def _text(text: str) -> str:
    """Lone surrogates (bytes of a name that is no UTF-8) are no text to a strict reader."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


class _Places:
    """Locations in the source, relative to the root where they lie below it."""

    def __init__(self, root: str) -> None:
        self._root = os.path.realpath(root)
        self.base = "file://" + _quoted(self._root).rstrip("/") + "/"

    def result(self, kinds: Sequence[FindingKind], tested: Checked, finding: Finding, suppressed: bool) -> dict[str, Any]:
        where = self.location(finding.site)
        return {
            "ruleId": f"bpor/{finding.kind.value}",
            "ruleIndex": list(kinds).index(finding.kind),
            "level": "error" if finding.is_proved else "warning",
            "message": {"text": _text(f"{finding}\nReplay: {finding.replay}")},
            "locations": [where] if where is not None else [],
            "codeFlows": [{"message": {"text": "the schedule"}, "threadFlows": self._threads(finding)}],
            "partialFingerprints": {FINGERPRINT: fingerprint(finding)},
            "suppressions": [{"kind": "external"}] if suppressed else [],
            "properties": {
                "test": _text(tested.name),
                "schedule": str(finding.schedule),
                "preemptions": finding.preemptions,
                "replay": _text(finding.replay),
                **({} if finding.round is None else {"livelock": _text(finding.round.nature), "proved": finding.round.proved}),
            },
        }

    def _threads(self, finding: Finding) -> list[dict[str, Any]]:
        labels = {thread.number: thread.label for thread in finding.threads}
        steps = finding.steps[-_STEPS:]
        flows = []
        for number in sorted({step.thread for step in steps}):
            mine = [self._step(order, step) for order, step in enumerate(steps) if step.thread == number]
            flows.append({"id": _text(labels.get(number, f"T{number}")), "locations": mine})
        return flows or [{"id": "T0", "locations": [{"location": self.location(finding.site) or {}, "executionOrder": 0}]}]

    def _step(self, order: int, step: SourceStep) -> dict[str, Any]:
        objects = " ".join(name.name for name in step.objects)
        text = f"{step.op.text} {objects}".strip() + (f" (T{step.preempted} could have gone on)" if step.preempted is not None else "")
        location = self.location(step.site) or {}
        return {
            "executionOrder": order,
            "importance": "essential" if step.preempted is not None else "important",
            "location": {**location, "message": {"text": _text(text)}},
        }

    def location(self, site: SourceSite | None) -> dict[str, Any] | None:
        if site is None:
            return None
        logical = [{"name": _text(site.function), "kind": "function"}] if site.function else []
        if not site.line:
            return {"logicalLocations": logical} if logical else None
        path = os.path.realpath(site.file)
        inside = path.startswith(self._root.rstrip("/") + "/")
        artifact = {"uri": _quoted(os.path.relpath(path, self._root)), "uriBaseId": _ROOT} if inside else {"uri": "file://" + _quoted(path)}
        region: dict[str, Any] = {"startLine": site.line}
        if site.source:
            region["snippet"] = {"text": _text(site.source)}
        return {"physicalLocation": {"artifactLocation": artifact, "region": region}, "logicalLocations": logical}


def _quoted(path: str) -> str:
    return quote(os.fsencode(path))
