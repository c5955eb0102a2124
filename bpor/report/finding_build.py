"""From an execution run with `describe` to a Finding."""

from __future__ import annotations

import os

from bpor.lazy_dataclass import replace
from bpor.model.schedule import Schedule
from bpor.model.trace import Description, Outcome, Trace
from bpor.protocol.ops import Op
from bpor.report.explain import asserted_site, by_cause, explain
from bpor.report.explain_waits import find_cycle, with_remarks
from bpor.report.finding import Finding, FindingKind, SourceSite, SourceStep, ThreadAtEnd
from bpor.report.finding_steps import source_steps, thread_ends
from bpor.report.names import Names, in_source
from bpor.report.own_failure_place import told_failure
from bpor.report.symbols_source import source_line

_KINDS = {
    Outcome.DEADLOCK: FindingKind.DEADLOCK,
    Outcome.ASSERTION: FindingKind.ASSERTION,
    Outcome.CRASH: FindingKind.CRASH,
    Outcome.TERMINATE: FindingKind.TERMINATE,
    Outcome.EXIT: FindingKind.EXIT,
    Outcome.MISUSE: FindingKind.MISUSE,
    Outcome.RACE: FindingKind.RACE,
    Outcome.MEMORY: FindingKind.MEMORY,
    Outcome.NONLINEARIZABLE: FindingKind.NONLINEARIZABLE,
}


def build_finding(
    trace: Trace, description: Description | None = None, replay: str = "", *, kind: FindingKind | None = None, message: str = ""
) -> Finding:
    """`kind` and `message` are for faults that no single execution shows by itself (livelock, race, ...)."""
    assert trace.first == 0, "a finding tells the whole execution"
    description = description or Description()
    kind = kind or _KINDS[trace.end.outcome]
    names = Names(description)
    steps = source_steps(trace, names, described=bool(description.modules))
    threads = with_remarks(thread_ends(trace, description, names, steps), steps)
    cycle = find_cycle(threads) if kind is FindingKind.DEADLOCK else ()
    stack = names.stack(trace.end.stack)
    failure, said_at = told_failure(trace.end, description, names)
    site = said_at or _failed_at(kind, trace, stack, steps, threads, cycle)
    finding = Finding(
        kind=kind,
        message=message,
        schedule=Schedule.of(step.choice for step in trace.steps),
        preemptions=sum(step.preempted is not None for step in steps),
        trace=trace,
        description=description,
        replay=replay,
        site=site,
        thread=cycle[0] if cycle else trace.end.thread,
        stack=stack,
        steps=steps,
        threads=threads,
        cycle=cycle,
        other_thread=trace.end.other_thread,
        other_stack=names.stack(trace.end.other_stack),
        object=names.object(trace.end.object, Op.READ) if kind is FindingKind.RACE else None,
        failure=failure,
    )
    return finding if message else replace(finding, message=explain(finding))


def _failed_at(
    kind: FindingKind,
    trace: Trace,
    stack: tuple[SourceSite, ...],
    steps: tuple[SourceStep, ...],
    threads: tuple[ThreadAtEnd, ...],
    cycle: tuple[int, ...],
) -> SourceSite | None:
    if kind is FindingKind.DEADLOCK:
        stuck = [thread for thread in by_cause(threads) if not cycle or thread.number in cycle]
        if stuck and not cycle and all(thread.pending is Op.FUTEX_RETURN for thread in stuck):
            # Nobody knows who would wake whom: the last to wait has closed the circle, the first is often a test's harness.
            last = {step.thread: step.index for step in steps}
            stuck.sort(key=lambda thread: -last.get(thread.number, -1))
        return next((thread.site for thread in stuck if thread.site is not None), None)
    if kind in (FindingKind.ASSERTION, FindingKind.NONLINEARIZABLE):
        exact = _asserted_at(trace.end.message, stack)
        if exact is not None:
            return exact
    if stack and (stack[0].function or any(site.line for site in stack)):
        return in_source(stack)
    mine = [step.site for step in steps if step.thread == trace.end.thread and step.site is not None]
    return mine[-1] if mine else None


def _asserted_at(message: str, stack: tuple[SourceSite, ...]) -> SourceSite | None:
    exact = asserted_site(message)
    if exact is None:
        return None
    file, line, function = exact
    for site in stack:
        if site.line == line and os.path.basename(site.file) == os.path.basename(file):
            return site
    return SourceSite(file, line, function.split("(")[0].split(" ")[-1], source_line(file, line))
