"""The loads of a finding that saw an old store, in words: which store had been there by then, and which orders did not forbid it."""

from __future__ import annotations

from bpor.model.operation import ORDERS, conflict
from bpor.protocol.ops import Op
from bpor.report.finding import Finding, SourceStep

_MOST = 2  # in the sentence; the steps show all


def old_value_words(finding: Finding) -> str:
    """Empty, or what follows the sentence of the finding."""
    reads = [step for step in finding.steps if step.alternative and step.op in (Op.READ, Op.CAS)]
    if not reads:
        return ""
    told = [_read(finding, step) for step in reads[-_MOST:]]
    more = len(reads) - len(told)
    before = f"{more} earlier load{'s' * (more > 1)} and " if more else ""
    return f"; before, {before}{', and '.join(told)}"


def _read(finding: Finding, read: SourceStep) -> str:
    name = read.objects[0].name if read.objects else "memory"
    at = f" at {read.site}" if read.site is not None else ""
    newer = _newer(finding, read)
    return f"T{read.thread} had read an old value of {name}{at}: {read.value}{newer} ({_order(finding, read)} load)"


def _newer(finding: Finding, read: SourceStep) -> str:
    """The newest store that the load could have seen."""
    pending = finding.trace.steps[read.index].operation.footprint
    for step in reversed(finding.steps[: read.index]):
        if step.op in (Op.WRITE, Op.RMW, Op.CAS) and conflict(finding.trace.steps[step.index].footprint, pending):
            at = f" at {step.site}" if step.site is not None else ""
            wrote = f" wrote {step.value}" if step.op is Op.WRITE and step.value is not None else " changed it"
            return f", though T{step.thread}{wrote}{at} ({_order(finding, step)} store)"
    return ""


def _order(finding: Finding, step: SourceStep) -> str:
    return ORDERS.get(finding.trace.steps[step.index].operation.order, "atomic")
