"""determinism: is the program a function of its schedule? Draws schedules, runs each of them several times, and compares step by step.

Nothing here is a bug of the program's threads: a difference is raised as bpor.errors.Diverged and names the first step that differs.
"""

from __future__ import annotations

from bpor.errors import Diverged
from bpor.model.plan import Plan
from bpor.model.step import Step
from bpor.model.trace import Trace
from bpor.search.bounds.bound import NONE
from bpor.search.coverage import Level
from bpor.search.options import SearchOptions
from bpor.search.strategies.random_walk import RandomWalk
from bpor.search.tally import Counts


class Determinism:
    """`rounds` schedules, each run 1 + `repeats` times. The first is the default schedule, the others are random."""

    def __init__(self, options: SearchOptions, seed: int) -> None:
        self._options = options
        self._random = RandomWalk(options, seed)
        self._rounds = 0
        self._repeats = 0
        self._first: Trace | None = None
        self.exhausted = False

    def next_plan(self) -> Plan | None:
        if self._first is not None and self._repeats < self._options.repeats:
            schedule = tuple(step.choice for step in self._first.steps)
            return Plan(prefix=schedule, max_steps=self._options.max_steps)
        self._first, self._repeats = None, 0
        if self._rounds >= self._options.rounds:
            self.exhausted = True
            return None
        self._rounds += 1
        return Plan(max_steps=self._options.max_steps) if self._rounds == 1 else self._random.next_plan()

    def learn(self, trace: Trace) -> None:
        self._random.learn(trace)
        if self._first is None:
            self._first = trace
            return
        self._repeats += 1
        _compare(self._first, trace)

    @property
    def counts(self) -> Counts:
        return self._random.counts

    def levels(self) -> tuple[Level, ...]:
        return (Level(NONE, self.counts, finished=False, refused=0),)


def _compare(first: Trace, again: Trace) -> None:
    for index, (expected, got) in enumerate(zip(first.steps, again.steps, strict=False)):
        if (expected.thread, expected.operation, expected.enabled, expected.value) != (got.thread, got.operation, got.enabled, got.value):
            raise Diverged(index, _describe(expected), _describe(got))
    if len(first.steps) != len(again.steps):
        raise Diverged(min(len(first.steps), len(again.steps)), f"{len(first.steps)} steps", f"{len(again.steps)} steps")
    if (first.hash, first.end.outcome, first.end.code) != (again.hash, again.end.outcome, again.end.code):
        raise Diverged(len(first.steps), _ending(first), _ending(again))


def _describe(step: Step) -> str:
    objects = ", ".join(f"{access.object:#x}" for access in step.footprint)
    return f"thread {step.thread} {step.operation.kind.text} [{objects}] = {step.value} with threads {step.enabled:#b} enabled"


def _ending(trace: Trace) -> str:
    return f"{trace.end.outcome.value} {trace.end.code} (hash {trace.hash:#x})"
