"""minimize() on simulated programs and on toy predicates; the optimum is known by brute force."""

from __future__ import annotations

import random

import pytest

from bpor.errors import Diverged
from bpor.model.plan import Plan
from bpor.model.schedule import Schedule
from bpor.model.trace import Outcome, Trace
from bpor.search.minimize import minimize, switches
from bpor.simulate.executor import SimulatedExecutor
from bpor.simulate.notation import parse

ABBA = "lock a; lock b; unlock b; unlock a | lock b; lock a; unlock a; unlock b"
LONG_ABBA = "3*Rx; lock a; Ry; lock b; unlock b; unlock a; 2*Rz | 2*Rz; lock b; lock a; unlock a; unlock b; Rx"
THREE_FORKS = " | ".join(f"lock f{i}; lock f{(i + 1) % 3}; unlock f{(i + 1) % 3}; unlock f{i}" for i in range(3))
SEEN_IN_BETWEEN = "Wx; Wy; Wx 0; Wz | Rz; Rx; assert; Ry"
SEEN_TWICE = "Wx; Wx 0; Wy; Wy 0 | Rx; unless exit; Ry; assert"


class Runs:
    """The predicate: runs a candidate, remembers what it cost."""

    def __init__(self, text: str, outcome: Outcome) -> None:
        self.executor = SimulatedExecutor(parse(text))
        self.outcome = outcome
        self.preemptions: dict[Schedule, int] = {}

    def __call__(self, candidate: Schedule) -> Schedule | None:
        try:
            return self.remember(self.executor.run(Plan(prefix=candidate.threads)))
        except Diverged:
            return None

    def remember(self, trace: Trace) -> Schedule | None:
        if trace.end.outcome is not self.outcome:
            return None
        schedule = Schedule.of(step.thread for step in trace.steps)
        self.preemptions[schedule] = trace.preemptions
        return schedule

    def cost(self, schedule: Schedule) -> tuple[int, int, int]:
        return self.preemptions[schedule], switches(schedule), len(schedule)

    def random_failure(self, seed: int) -> Schedule:
        rng = random.Random(seed)
        while True:
            trace = self.executor.run(Plan(chooser=lambda state: rng.choice([t for t in range(4) if state.enabled >> t & 1])))
            failed = self.remember(trace)
            if failed is not None:
                return failed

    def cheapest(self) -> tuple[int, int, int]:
        """Of all schedules, by brute force."""
        prefixes: list[tuple[int, ...]] = [()]
        while prefixes:
            prefix = prefixes.pop()
            trace = self.executor.run(Plan(prefix=prefix))
            self.remember(trace)
            taken = tuple(step.thread for step in trace.steps)
            for depth in range(len(prefix), len(taken)):
                others = (t for t in range(4) if trace.steps[depth].enabled >> t & 1 and t != taken[depth])
                prefixes += [(*taken[:depth], thread) for thread in others]
        return min(self.cost(schedule) for schedule in self.preemptions)


@pytest.mark.parametrize(
    ("text", "outcome"),
    [
        (ABBA, Outcome.DEADLOCK),
        (THREE_FORKS, Outcome.DEADLOCK),
        (SEEN_IN_BETWEEN, Outcome.ASSERTION),
        (SEEN_TWICE, Outcome.ASSERTION),
    ],
)
def test_random_failures_shrink_to_the_cheapest_of_all_schedules(text: str, outcome: Outcome) -> None:
    cheapest = Runs(text, outcome).cheapest()
    for seed in range(10):
        runs = Runs(text, outcome)
        shrunk = minimize(runs.random_failure(seed), runs, preemptions=runs.preemptions.__getitem__)
        assert runs.cost(shrunk) == cheapest


def test_the_answer_was_seen_failing_and_costs_no_more() -> None:
    for seed in range(20):
        runs = Runs(LONG_ABBA, Outcome.DEADLOCK)
        failure = runs.random_failure(seed)
        before = runs.cost(failure)
        shrunk = minimize(failure, runs, preemptions=runs.preemptions.__getitem__)
        assert runs.cost(shrunk) <= before
        assert runs(shrunk) == shrunk


def test_many_switches_are_removed_in_few_tries() -> None:
    """Merging blocks pays in tries, not in the result: without it these take 125 on average."""
    text = "5*Rq; Wx; 5*Rq; Wx 0; 3*Rq; Wy; Wy 0; 5*Rq | 3*Rq; Rx; unless exit; 4*Rq; Ry; assert | 9*Rq"
    used = []
    for seed in range(12):
        runs = Runs(text, Outcome.ASSERTION)
        failure = runs.random_failure(seed)
        before = runs.executor.executions
        shrunk = minimize(failure, runs, preemptions=runs.preemptions.__getitem__)
        used.append(runs.executor.executions - before)
        assert runs.cost(shrunk)[:2] == (3, 3)
    assert sum(used) / len(used) < 100


def test_an_equally_cheap_schedule_replaces_nothing() -> None:
    assert minimize(Schedule.of([0, 1]), lambda _: Schedule.of([1, 0])) == Schedule.of([0, 1])


def test_a_preemption_is_dearer_than_switches_and_steps() -> None:
    many_switches, one_preemption = Schedule.of([0, 1, 0, 1, 0, 1]), Schedule.of([0, 1])
    dear = {many_switches: 0, one_preemption: 1}
    assert minimize(many_switches, lambda _: one_preemption, preemptions=dear.__getitem__) == many_switches
    assert minimize(one_preemption, lambda _: many_switches, preemptions=dear.__getitem__) == many_switches


def test_without_preemptions_switches_decide() -> None:
    fewer = Schedule.of([0, 0, 1, 1])
    assert minimize(Schedule.of([0, 1, 0, 1]), lambda _: fewer) == fewer


@pytest.mark.parametrize("tries", [0, 1, 7])
def test_the_number_of_tries_is_kept(tries: int) -> None:
    calls: list[Schedule] = []

    def never(candidate: Schedule) -> None:
        calls.append(candidate)

    schedule = Schedule.of([0, 1] * 50)
    assert minimize(schedule, never, tries=tries) == schedule
    assert len(calls) == tries


def test_no_candidate_is_tried_twice() -> None:
    calls: list[Schedule] = []

    def never(candidate: Schedule) -> None:
        calls.append(candidate)

    minimize(Schedule.of([0, 1, 0, 2, 1, 0]), never)
    assert len(calls) == len(set(calls)) > 10


def test_a_failure_that_needs_nothing_shrinks_to_the_default_schedule() -> None:
    default = Schedule.of([0, 0])
    tried: list[Schedule] = []

    def always(candidate: Schedule) -> Schedule:
        tried.append(candidate)
        return default

    assert minimize(Schedule.of([1, 0, 1, 0, 0]), always) == default
    assert tried[0] == Schedule()
