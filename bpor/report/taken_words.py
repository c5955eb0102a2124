"""Describes in words what the test left open in a finding: which calls failed, and which inputs were chosen."""

from __future__ import annotations

from bpor.protocol.ops import Op
from bpor.report.finding import Finding, SourceStep

_MOST = 4  # in the sentence; the steps show all


def taken_words(finding: Finding) -> str:
    """Empty, or what follows the sentence of the finding."""
    failed = [_failed(step) for step in finding.steps if step.op is Op.FAULT and step.alternative]
    chosen = [_chosen(step) for step in finding.steps if step.op is Op.CHOOSE and step.value is not None]
    return "".join(f"; {words}" for words in (_several(failed), _several(chosen)) if words)


def _several(words: list[str]) -> str:
    more = len(words) - _MOST
    return ", ".join([*words[:_MOST], *([f"and {more} more"] if more > 0 else [])])


def _failed(step: SourceStep) -> str:
    return f"{step.call}{_at(step)} {step.effect}"


def _chosen(step: SourceStep) -> str:
    return f"bpor_choose{_at(step)} is {step.value}"


def _at(step: SourceStep) -> str:
    return f" at {step.site}" if step.site is not None else ""
