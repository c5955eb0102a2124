"""Both engines on one program, execution by execution: what each ran, and the numbers each counted."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, replace
from unittest.mock import patch

from bpor.model.executor import Executor
from bpor.model.exploration import ExecutionRecord
from bpor.model.mixing import mixed
from bpor.model.plan import Plan
from bpor.model.trace import Trace
from bpor.search.bounds import parse_bound
from bpor.search.bounds.bound import BoundKind
from bpor.search.budget import Budget
from bpor.search.coverage import Level
from bpor.search.explorer import Explorer, schedule_of
from bpor.search.options import SearchOptions
from bpor.search.registry import make_strategy
from bpor.search.result import SearchResult
from bpor.search.strategies import widening
from bpor.target.crew import Crew, crew_here
from bpor.target.executor import NativeExecutor
from bpor.target.exploring import ExploringExecutor
from bpor.target.options import TargetOptions

BOUNDS = (
    *("none", "preemption:0", "preemption:1", "preemption:2", "fair:2", "fair:0,preemption:1", "fair:2,preemption:2"),
    *("context:3", "delta:2", "fair:2,context:3", "fair:2,delta:2"),
)


@dataclass(frozen=True, slots=True)
class Run:
    executions: list[ExecutionRecord]
    levels: tuple[Level, ...]
    result: SearchResult


class Recorder:
    """An observer of either engine."""

    def __init__(self) -> None:
        self.seen: list[ExecutionRecord] = []

    def executed(self, explorer: Explorer, plan: Plan, trace: Trace) -> None:
        if trace.batch is not None:
            self.seen += trace.batch.records
            return
        threads = schedule_of(plan, trace)
        self.seen.append(ExecutionRecord(mixed(*threads), trace.end.outcome, trace.hash, len(threads)))


class Recording(ExploringExecutor):
    """Asks for a record of every execution."""

    def run(self, plan: Plan) -> Trace:
        if plan.exploration is None:
            return super().run(plan)
        return super().run(replace(plan, exploration=replace(plan.exploration, record=True)))


def run(
    engine: str,
    argv: Sequence[str],
    bound: str | None,
    limit: int,
    options: SearchOptions | None = None,
    target: TargetOptions | None = None,
    search: str | None = None,
) -> Run:
    """At most `limit` executions, in a process of its own; failing ones do not stop it."""
    options = options or SearchOptions(max_steps=500)
    target = target or TargetOptions(watchdog=5)
    opened: NativeExecutor | Crew = Recording(argv, target) if engine == "native" else NativeExecutor(argv, target)
    with crew_here(argv, target, None, options.workers) if options.workers > 1 else opened as running:
        return run_on(running, engine, bound, limit, options, search)


def run_on(running: Executor, engine: str, bound: str | None, limit: int, options: SearchOptions, search: str | None = None) -> Run:
    """The same, in a process that is there. When the default search is near its end is asked at the ends of batches, which only one engine
    has: both are left to take turns."""
    recorder = Recorder()
    with patch.object(widening, "_NEAR", 0):
        strategy = make_strategy(search, None if bound is None else parse_bound(bound), replace(options, engine=engine), 0)
        result = Explorer(running, strategy, Budget(max_executions=limit, max_findings=None), [recorder]).run()
    return Run(recorder.seen, result.levels, result)


def difference(python: Run, native: Run) -> str:
    """In words; empty: there is none."""
    for number, (one, other) in enumerate(zip(python.executions, native.executions, strict=False)):
        if one != other:
            return f"execution {number}: {one} in Python, {other} beside the program"
    if len(python.executions) != len(native.executions):
        return f"{len(python.executions)} executions in Python, {len(native.executions)} beside the program"
    for one, other in zip(python.levels, native.levels, strict=False):
        if one != other:
            return f"{one} in Python, {other} beside the program"
    same = (python.result.executions, python.result.failing, python.result.stop, python.result.counts, python.result.exhausted)
    theirs = (native.result.executions, native.result.failing, native.result.stop, native.result.counts, native.result.exhausted)
    return "" if same == theirs and len(python.levels) == len(native.levels) else f"{same} in Python, {theirs} beside the program"


def loss(every: Run, known: Run, more: int = 2) -> str:
    """A search that executes no step twice reaches the same traces and failures, claims the same or more (that nothing was refused: then no
    further level is searched), and never runs more, but for executions that compare, and `more` at each level that show it that the bound
    matters: one outside of it, and one that was taken to be. Where the fair bound keeps a thread waiting everything is executed, once more
    than by a search that did not begin without it. Empty: it does."""
    one, other = ([(level.bound, level.finished, level.counts.distinct_traces) for level in run.levels] for run in (every, known))
    same = one[: len(other)] == other and (every.result.failing > 0) == (known.result.failing > 0)
    same = same and (len(other) == len(one) or not known.levels[-1].refused)
    executions, fair = (
        known.result.executions - known.result.counts.checked,
        any(BoundKind.FAIR in level.bound.kinds for level in known.levels),
    )
    same = same and executions <= every.result.executions + more * len(one) + fair * every.result.executions // 4
    same = same and all(more.refused or not less.refused for more, less in zip(every.levels, known.levels, strict=False))
    return "" if same else f"{one}, {every.result.executions} executions; with known steps {other}, {known.result.executions} executions"


def disagreement(python: Run, crew: Run) -> str:
    """Several workers may run other executions, but reach the same traces, failures, and claims. Empty: they do."""
    one, other = (
        [(level.bound, level.finished, level.counts.distinct_traces, level.counts.cut > 0) for level in search.levels]
        for search in (python, crew)
    )
    same = one == other and (python.result.failing > 0) == (crew.result.failing > 0)
    return "" if same else f"{one}, {python.result.failing} failing in Python, {other}, {crew.result.failing} failing by a crew"


def random_scripts(source: random.Random, shortest: int = 1, longest: int = 5) -> list[str]:
    """Arguments of script.c: two to four threads, mostly well formed."""
    return [_random_script(source, source.randint(shortest, longest)) for _ in range(source.choice((2, 2, 3, 3, 4)))]


def _random_script(source: random.Random, length: int) -> str:
    script, held = "", ""
    for _ in range(length):
        choices = ["p", "w", "q", "s", "y", "y", "v", "m"]
        choices += [] if "a" in held else ["a", "a", "t", "l"]
        choices += [] if "b" in held else ["b"]
        choices += ["c", "d", "z", "A", "A"] if "a" in held else []
        choices += ["B", "B"] if "b" in held else []
        choices += ["u", "u"] if "r" in held else ["r", "R"]
        choices += ["x"] if source.random() < 0.2 else []
        choices += ["e"] if source.random() < 0.05 else []
        operation = source.choice(choices)
        script += operation
        held = _after(held, operation)
    return script + "".join({"a": "A", "b": "B", "r": "u"}[one] for one in held)


def _after(held: str, operation: str) -> str:
    taken = {"a": "a", "l": "a", "b": "b", "r": "r", "R": "r"}.get(operation)
    given = {"A": "a", "B": "b", "u": "r"}.get(operation)
    if taken is not None:
        return held + taken
    return held if given is None else held.replace(given, "")
