"""Results as a gate sees them, made without a process: a real search of a simulated deadlock, dressed with places of a source file."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

from bpor.checking import check_target
from bpor.report.checked import Checked
from bpor.report.finding import Finding, SourceSite
from bpor.report.result import Result
from bpor.report.verdict import Verdict, VerdictKind
from bpor.settings import Settings
from tests.unit.test_api import ABBA, COUNTER, Simulated, parse

# Everything that XML, HTML, Markdown, SARIF or a workflow command could take for its own, and what is no text at all.
HOSTILE = "q\"'<script>alert(1)</script>&amp;\x1b[31m\x00\n::error::no|`x` [l](u) ]]>\udcff\uffff"
HERE = SourceSite("/src/bank.c", 20, "transfer", "pthread_mutex_lock(&to->lock);")


@cache
def searched(text: str = ABBA, **knobs: Any) -> Result:
    return check_target(Simulated(parse(text)).target, Settings(**{"bound": "preemption:2", **knobs}))


def deadlock(site: SourceSite = HERE, **changes: Any) -> Finding:
    finding = searched().findings[0]
    steps = tuple(replace(step, site=site) for step in finding.steps)
    threads = tuple(replace(thread, site=site, name="worker") for thread in finding.threads)
    return replace(finding, site=site, steps=steps, threads=threads, **changes)


def bug(name: str = "bank", finding: Finding | None = None, **changes: Any) -> Checked:
    return Checked(name, replace(searched(), findings=(finding or deadlock(),)), **{"seconds": 1.5, **changes})


def passed(name: str = "counter", **changes: Any) -> Checked:
    return Checked(name, searched(COUNTER), **{"seconds": 0.25, **changes})


def ended(kind: VerdictKind, reason: str = "why", name: str = "odd", expected: str = "pass", **knobs: Any) -> Checked:
    """A test that came to no finding and no pass."""
    return Checked(name, Result(("./odd",), Settings(**knobs), Verdict(kind, reason)), expected)
