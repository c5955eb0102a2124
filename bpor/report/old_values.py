"""The accesses of a finding that took an old store, in words: which store had been there by then, and which orders did not forbid it."""

from __future__ import annotations

from bpor.model.operation import ATOMIC, ORDERS, conflict
from bpor.protocol.ops import Op
from bpor.report.finding import Finding, SourceStep

_MOST = 2  # in the sentence; the steps show all


def old_value_words(finding: Finding) -> str:
    """Empty, or what follows the sentence of the finding."""
    old = [step for step in finding.steps if step.alternative and step.op in ATOMIC]
    if not old:
        return ""
    told = [_stored(finding, step) if step.op is Op.WRITE else _read(finding, step) for step in old[-_MOST:]]
    more = len(old) - len(told)
    before = f"{more} earlier access{'es' * (more > 1)} and " if more else ""
    return f"; before, {before}{', and '.join(told)}"


def _read(finding: Finding, read: SourceStep) -> str:
    name = read.objects[0].name if read.objects else "memory"
    at = f" at {read.site}" if read.site is not None else ""
    how = {Op.READ: "load", Op.RMW: "read-modify-write", Op.CAS: "compare-exchange"}[read.op]
    newer = _newer(finding, read)
    return f"T{read.thread} had read an old value of {name}{at}: {read.value_text} ({_order(finding, read)} {how}){newer}"


def _stored(finding: Finding, store: SourceStep) -> str:
    """It came before a newer one, in the order of stores of its place."""
    name = store.objects[0].name if store.objects else "memory"
    at = f" at {store.site}" if store.site is not None else ""
    newer = _newer(finding, store)
    return f"T{store.thread}'s store of {store.value_text} to {name}{at} ({_order(finding, store)}) had come too late to be seen{newer}"


def _newer(finding: Finding, read: SourceStep) -> str:
    """The newest store that it could have seen, or come after."""
    pending = finding.trace.steps[read.index].operation.footprint
    for step in reversed(finding.steps[: read.index]):
        if step.op in (Op.WRITE, Op.RMW, Op.CAS) and conflict(finding.trace.steps[step.index].footprint, pending):
            at = f" at {step.site}" if step.site is not None else ""
            wrote = f" wrote {step.value_text}" if step.op is Op.WRITE and step.value is not None else " changed it"
            return f", though T{step.thread}{wrote}{at} ({_order(finding, step)} store) and nothing orders the two"
    return ""


def _order(finding: Finding, step: SourceStep) -> str:
    return ORDERS.get(finding.trace.steps[step.index].operation.order, "atomic")
