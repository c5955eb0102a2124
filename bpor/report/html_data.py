"""What the page shows of an execution, as plain JSON: lanes, arrows, locks, values, source. The page's script only draws it.

Invariant: texts only, no markup; a long execution is cut to its last steps, and says so.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from bpor.lazy_dataclass import replace
from bpor.report.causes import causes_of
from bpor.report.coverage_curve import CurvePoint
from bpor.report.execution import Execution, execution_of
from bpor.report.finding import Finding, SourceSite, SourceStep
from bpor.report.names import Names
from bpor.report.result import Result
from bpor.report.symbols_source import source_lines
from bpor.report.trace_columns import cell, stopped_cell
from bpor.report.trace_columns_select import select

MOST_STEPS = 2_000
_AROUND = 8  # source lines shown before and after the one that runs


def page_data(result: Result, curve: Sequence[CurvePoint] = ()) -> dict[str, Any]:
    return {
        "findings": [finding_data(finding) for finding in result.findings],
        "levels": _levels(result),
        "curve": [[0, 0, 0], *(list(point) for point in curve)],
    }


def finding_data(finding: Finding) -> dict[str, Any]:
    names = Names(finding.description)
    execution = execution_of(finding.trace, finding.description, names)
    sources: dict[str, list[list[Any]]] = {}
    failing = _execution(execution, sources, select(finding))
    passing = None
    if finding.why is not None:
        description = finding.why.description
        chosen = select(replace(finding, steps=finding.why.steps, round=None))
        passing = _execution(execution_of(finding.why.trace, description, Names(description, like=names)), sources, chosen)
        passing["earlier"] = finding.why.earlier.index
    return {
        "title": finding.summary,
        "message": str(finding),
        "failing": failing,
        "passing": passing,
        "later": None if finding.why is None else finding.why.later.index,
        "site": _site(finding.site, sources),
        "sources": sources,
    }


def _execution(execution: Execution, sources: dict[str, list[list[Any]]], chosen: frozenset[int]) -> dict[str, Any]:
    """`chosen`: the steps that are shown; the rest is folded, as in the text."""
    first = max(len(execution.steps) - MOST_STEPS, 0)
    causes = causes_of(execution.trace)
    steps = []
    for position in range(first, len(execution.steps)):
        step, trace_step = execution.steps[position], execution.trace.steps[position]
        taken, given = execution.locks[position]
        steps.append(
            {
                **_step(step, sources),
                "folded": position not in chosen,
                "causes": [cause for cause in causes.steps[position] if cause >= first],
                "takes": [lock.name for lock in taken],
                "gives": [lock.name for lock in given],
                "enabled": [t.number for t in execution.threads if trace_step.enabled >> t.number & 1],
            }
        )
    held = [{"thread": stand.thread, "locks": list(stand.held)} for stand in execution.state(first)] if first else []
    return {
        "first": first,
        "steps": steps,
        "held": held,
        "threads": [_thread(execution, thread.number, sources) for thread in execution.threads],
        "outcome": execution.trace.end.outcome.value,
    }


def _thread(execution: Execution, number: int, sources: dict[str, list[list[Any]]]) -> dict[str, Any]:
    end = next(thread for thread in execution.threads if thread.number == number)
    return {
        "number": number,
        "name": end.name,
        "born": execution.born(number),
        "end": stopped_cell(end),
        "after": execution.afterwards(number),
        "blocked": end.blocked,
        "site": _site(end.site, sources),
    }


def _step(step: SourceStep, sources: dict[str, list[list[Any]]]) -> dict[str, Any]:
    return {
        "index": step.index,
        "thread": step.thread,
        "text": cell(step),
        "objects": [name.name for name in step.objects],
        "value": None if step.value is None else step.value_text,
        "preempted": step.preempted,
        "site": _site(step.site, sources),
    }


def _site(site: SourceSite | None, sources: dict[str, list[list[Any]]]) -> dict[str, Any] | None:
    if site is None:
        return None
    key = f"{site.file}:{site.line}"
    if site.line and key not in sources:
        sources[key] = [[number, text] for number, text in source_lines(site.file, site.line - _AROUND, site.line + _AROUND)]
    return {"place": str(site), "function": site.function, "source": site.source, "line": site.line, "key": key}


def _levels(result: Result) -> list[dict[str, Any]]:
    return [
        {
            "bound": str(level.bound),
            "complete": level.passed,
            "executions": level.counts.executions,
            "traces": level.counts.distinct_traces,
        }
        for level in (result.search.levels if result.search is not None else ())
    ]
