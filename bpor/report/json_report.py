"""A Result as JSON, schema version 1 (schema/result-1.json, shipped). Adding a field keeps the version; changing or dropping one does not.

Invariant: one function per object of the schema, every key always present, so that a reader never has to ask whether it is there.
"""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any

from bpor.errors import UsageError
from bpor.report.finding import Finding, LivelockLook, Round, SourceSite, SourceStep, Why
from bpor.report.result import Output, Result
from bpor.search.bounds import parse_bound
from bpor.search.result import SearchResult
from bpor.settings import as_options
from bpor.target.census import Census, Module
from bpor.version import VERSION

if TYPE_CHECKING:
    from bpor.report.own_failure import OwnFailure

SCHEMA = 1


def schema() -> dict[str, Any]:
    """The JSON Schema of what `to_json` returns."""
    from importlib import resources

    text = resources.files("bpor.report").joinpath("schema/result-1.json").read_text("utf-8")
    loaded: dict[str, Any] = json.loads(text)
    return loaded


def to_text(result: Result) -> str:
    return json.dumps(to_json(result), indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def to_json(result: Result) -> dict[str, Any]:
    verdict, settings = result.verdict, result.settings
    return {
        "schema": SCHEMA,
        "tool": {"name": "bpor-native", "version": VERSION},
        "program": list(result.argv),
        "verdict": verdict.kind.value,
        "statement": verdict.statement,
        "exit_code": result.exit_code,
        "coverage": verdict.coverage,
        "assumptions": list(verdict.assumptions),
        "bounds": _bounds(settings.bound),
        "search": settings.search or ("default" if settings.bound is None else "bpor"),
        "engine": {"beside_the_program": result.search is not None and not result.in_python, "in_python_because": result.in_python},
        "reset": {"mode": result.reset.mode, "because": result.reset.because},
        "options": as_options(settings),
        "seed": settings.seed,
        **_search(result.search),
        "census": _census(result.census),
        "stack": [_site(site) for site in result.stack],
        "self_check": {"confirmed": result.confirmed},
        "outcomes": [_output(output) for output in result.outcomes],
        "findings": [_finding(finding) for finding in result.findings],
    }


def _bounds(text: str | None) -> dict[str, Any]:
    """Kind -> its largest value; empty: unbounded or the default search. A bound that does not parse bounds nothing (verdict `usage`)."""
    if text is None:
        return {}
    try:
        return {term.kind.value: term.high for term in parse_bound(text).terms}
    except UsageError:
        return {}


def _search(search: SearchResult | None) -> dict[str, Any]:
    """What was run. Zeros where it did not come to a search."""
    counts = search.counts if search else None
    return {
        "completed_bounds": [str(level.bound) for level in search.levels if level.passed] if search else [],
        "threads": counts.threads if counts else 0,
        "executions": search.executions if search else 0,
        "repeated": counts.repeated if counts else 0,
        "redundant": counts.redundant + counts.asked if counts else 0,
        "over_bound": counts.over_bound if counts else 0,
        "walked": counts.walked if counts else 0,
        "checked": counts.checked if counts else 0,
        "matched": counts.matched if counts else 0,
        "assumed_away": counts.assumed if counts else 0,
        "cut": counts.cut if counts else 0,
        "steps": counts.steps if counts else 0,
        "distinct_traces": counts.distinct_traces if counts else 0,
        "distinct_traces_estimated": counts.traces_estimated if counts else False,
        "distinct_traces_error": round(counts.traces_error, 6) if counts else 0.0,
        "local_states": counts.local_states if counts else 0,
        "local_states_estimated": counts.states_estimated if counts else False,
        "local_states_error": round(counts.states_error, 6) if counts else 0.0,
        "levels": _levels(search),
        "estimate": _estimate(search),
        "elapsed_s": round(search.seconds, 6) if search else 0.0,
        "exit_reason": search.stop.value if search else "no search",
    }


def _levels(search: SearchResult | None) -> list[dict[str, Any]]:
    return [
        {
            "bound": str(level.bound),
            "complete": level.passed,
            "executions": level.counts.executions,
            "distinct_traces": level.counts.distinct_traces,
            "refused": level.refused,
            "states": level.states,
        }
        for level in (search.levels if search else ())
    ]


def _estimate(search: SearchResult | None) -> dict[str, float]:
    """Of the executions that the last level takes altogether; empty: none was made."""
    estimate = search.levels[-1].estimate if search and search.levels else None
    if estimate is None or not all(map(math.isfinite, (estimate.low, estimate.expected, estimate.high))):
        return {}
    return {"low": estimate.low, "expected": estimate.expected, "high": estimate.high}


def _census(census: Census | None) -> dict[str, Any]:
    if census is None:
        return {}
    unseen = census.unseen
    return {
        "program": census.program.path,
        "script": census.program.is_script,
        "modules": [_module(module) for module in census.modules],
        "system": list(census.system),
        "missing": list(census.missing),
        "notes": list(census.notes),
        "unseen": {"atomic_instructions": unseen.atomics, "modules": list(unseen.where), "without_accesses": list(unseen.plain)},
    }


def _module(module: Module) -> dict[str, Any]:
    elf, code = module.elf, module.instructions
    return {
        "path": elf.path,
        "build_id": elf.build_id,
        "has_dwarf": elf.has_dwarf,
        "instrumented": elf.instrumented,
        "not_instrumented": list(elf.silent_units),
        "instructions": None if code is None else code.counts,
        "atomic_functions": {} if code is None else code.functions,
    }


def _output(output: Output) -> dict[str, Any]:
    return {
        "stdout": output.stdout.decode("utf-8", "replace"),
        "truncated": output.truncated,
        "sha256": output.sha256,
        "count": output.count,
    }


def _finding(finding: Finding) -> dict[str, Any]:
    return {
        "kind": finding.kind.value,
        "message": finding.message,
        "summary": finding.summary,
        "schedule": str(finding.schedule),
        "preemptions": finding.preemptions,
        "site": _site(finding.site),
        "stack": [_site(site) for site in finding.stack],
        "other_thread": finding.other_thread,
        "other_stack": [_site(site) for site in finding.other_stack],
        "orders": list(finding.orders),
        "steps": [_step(step) for step in finding.steps],
        "stdout": finding.trace.end.stdout.decode("utf-8", "replace"),
        "stderr": finding.trace.end.stderr.decode("utf-8", "replace"),
        "replay": finding.whole_replay or finding.replay,
        "remedy": finding.remedy,
        "why": None if finding.why is None else _why(finding.why),
        "failure": None if finding.failure is None else _failure(finding.failure),
        "livelock": None if finding.round is None else _livelock(finding.round),
    }


def _failure(failure: OwnFailure) -> dict[str, Any]:
    """Its place is the finding's `site`."""
    return {"framework": failure.framework, "test": failure.test, "text": failure.text}


def _livelock(round: Round) -> dict[str, Any]:
    """The round: steps `start` to `start + length` of the finding, for ever."""
    return {
        "nature": round.nature,
        "proved": round.proved,
        "start": round.start,
        "length": round.length,
        "counters": list(round.counters),
        "blocked": list(round.blocked),
        "threads": [
            {
                "thread": thread.number,
                "loop": list(thread.places),
                "looks": [_look(look) for look in thread.looks],
            }
            for thread in round.threads
        ],
    }


def _look(look: LivelockLook) -> dict[str, Any]:
    changed_by = None if look.undone_by is None else _step(look.undone_by)
    return {"step": _step(look.step), "changed_by": changed_by, "in_round": look.in_round}


def _why(why: Why) -> dict[str, Any]:
    return {
        "message": str(why),
        "earlier": _step(why.earlier),
        "later": _step(why.later),
        "schedule": str(why.schedule),
        "orderings": why.orderings,
        "replay": why.replay,
    }


def _step(step: SourceStep) -> dict[str, Any]:
    return {
        "thread": step.thread,
        "op": step.op.text,
        "object": step.objects[0].name if step.objects else None,
        "value": step.value,
        "alternative": step.alternative,
        "alternatives": step.alternatives,
        "fault": f"{step.call} {step.effect}" if step.effect else None,
        "site": _site(step.site),
    }


def _site(site: SourceSite | None) -> dict[str, Any] | None:
    return None if site is None else {"file": site.file, "line": site.line, "function": site.function}
