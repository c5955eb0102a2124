"""Every execution of a search as values that can be compared between runs."""

from __future__ import annotations

from bpor.model.executor import Executor
from bpor.model.plan import Plan
from bpor.model.trace import Outcome, Trace
from bpor.search.bounds import parse_bound
from bpor.search.budget import Budget
from bpor.search.explorer import Explorer, Observer, schedule_of
from bpor.search.options import SearchOptions
from bpor.search.registry import make_strategy

Execution = tuple[str, Outcome, int]  # schedule, how it ended, hash of everything it did


class _Recorder:
    def __init__(self) -> None:
        self.seen: list[Execution] = []

    def executed(self, explorer: Explorer, plan: Plan, trace: Trace) -> None:
        self.seen.append((str(schedule_of(plan, trace)), trace.end.outcome, trace.hash))


def executions(executor: Executor, bound: str, limit: int, max_steps: int, *observers: Observer) -> list[Execution]:
    """The first `limit` executions of a bounded search, failing ones included."""
    recorder = _Recorder()
    strategy = make_strategy("bpor", parse_bound(bound), SearchOptions(max_steps=max_steps), 0)
    Explorer(executor, strategy, Budget(max_executions=limit, max_findings=None), [recorder, *observers]).run()
    return recorder.seen
