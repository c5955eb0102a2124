"""The states of a real program by their identities, and whether those with the same one go on alike.

`python -m tests.native.state_graph SECONDS [SEED]` walks random C programs for as long as asked (make soak).
"""

from __future__ import annotations

import random
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

from bpor.model.executor import Executor
from bpor.model.operation import Operation
from bpor.model.plan import Plan
from bpor.model.policy import threads_in
from bpor.model.trace import Trace
from bpor.target.executor import NativeExecutor
from bpor.target.options import TargetOptions
from tests.native.test_programs_against_model import build

WAYS = 2  # by which every state is entered, if there are so many
MOST_SCHEDULES = 3_000
MOST_STEPS = 300

Schedule = tuple[int, ...]
Future = tuple[object, ...]


@dataclass(slots=True)
class StateGraph:
    """Schedules that lead to states of one identity must see the same from there on, whoever goes on."""

    executor: Executor
    schedules: int = 0
    unidentified: str = ""
    contradictions: list[tuple[Schedule, Schedule]] = field(default_factory=list)
    ways: dict[int, int] = field(default_factory=dict)  # identity -> how often entered
    _known: dict[int, tuple[Future, Schedule]] = field(default_factory=dict)

    def walk(self, most: int = MOST_SCHEDULES) -> None:
        waiting: list[Schedule] = [()]
        while waiting and self.schedules < most and not self.unidentified:
            schedule = waiting.pop()
            self.schedules += 1
            trace = self.executor.run(Plan(prefix=schedule, report_from=len(schedule), stop_after_prefix=True, identify=True))
            self.unidentified = trace.unidentified
            identity = trace.states[0] if trace.states else None
            if identity is not None:
                self._enter(identity, schedule, trace)
                if self.ways[identity] <= WAYS:
                    waiting += [(*schedule, thread) for thread in threads_in(trace.enabled)]

    def _enter(self, identity: int, schedule: Schedule, trace: Trace) -> None:
        self.ways[identity] = self.ways.get(identity, 0) + 1
        future = (trace.enabled, sorted(map(_announced, trace.initial)), *self._future(identity, schedule))
        known, by = self._known.setdefault(identity, (future, schedule))
        if known != future:
            self.contradictions.append((by, schedule))

    def _future(self, seed: int, schedule: Schedule) -> Future:
        """What happens beyond a state if threads are drawn with this seed."""
        draw = random.Random(seed)
        trace = self.executor.run(
            Plan(
                prefix=schedule,
                report_from=len(schedule),
                max_steps=len(schedule) + MOST_STEPS,
                chooser=lambda state: draw.choice(list(threads_in(state.enabled))),
            )
        )
        steps = [(step.thread, step.operation.kind, step.operation.site, step.failed, step.timed_out) for step in trace.steps]
        return steps, trace.end.outcome, trace.end.code, trace.end.message


def _announced(pending: tuple[int, Operation]) -> tuple[int, str, int]:
    thread, operation = pending
    return thread, operation.kind.text, operation.site


def main(seconds: float, seed: int) -> int:
    tried, found, deadline = 0, list[str](), time.monotonic() + seconds
    with tempfile.TemporaryDirectory() as directory:
        while time.monotonic() < deadline:
            model, program = build(seed, Path(directory))
            with NativeExecutor([program], TargetOptions(timeouts="explore")) as executor:
                graph = StateGraph(executor)
                graph.walk()
            found += [f"{model.name}: {one} and {other} have one identity" for one, other in graph.contradictions]
            tried, seed = tried + 1, seed + 1
    print(f"the states of {tried} random C programs were walked, {len(found)} contradictions", *found, sep="\n")
    return bool(found)


if __name__ == "__main__":
    sys.exit(main(float(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else int(time.time())))
