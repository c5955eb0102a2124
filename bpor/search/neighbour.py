"""Why did it fail? The nearest execution that passes and differs in one ordering.

The candidates are the search's own backtrack points: every race of the failing execution is a step that some thread's operation
could have come before. Each is turned round, the latest first; everything else keeps the order of the failing schedule where it can.
Invariant: an answer is an execution that ran and passed, with the operation before the step.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from bpor.errors import Diverged
from bpor.lazy_dataclass import dataclass
from bpor.model.choice import choice_of
from bpor.model.executor import Executor
from bpor.model.operation import dependent
from bpor.model.plan import Plan, State
from bpor.model.policy import threads_in
from bpor.model.schedule import Schedule
from bpor.model.trace import Outcome, Trace
from bpor.search.bounds.bound import NONE
from bpor.search.engine.rule import Rule
from bpor.search.engine.tree import Tree
from bpor.search.options import SearchOptions

TRIES = 80
_LONGEST = 5_000  # steps; a longer execution is not explained by one ordering


@dataclass(frozen=True, slots=True)
class Race:
    """Step `index` ran before the operation `number` (counted from 0) of `thread`, which depends on it and may still be pending."""

    index: int
    thread: int
    number: int


@dataclass(frozen=True, slots=True)
class Neighbour:
    race: Race  # of the failing execution: turned round in this one
    schedule: Schedule
    reversed_races: int  # those that are turned round with it, itself included
    tried: int  # races that were looked at


class _Races(Rule):
    """Collects backtrack points instead of acting on them."""

    sleeps = False
    release_optimisation = False

    def __init__(self, trace: Trace) -> None:
        self.found: dict[Race, None] = {}
        self._steps = trace.steps

    def backtrack(self, tree: Tree, index: int, thread: int) -> None:
        """A crash depends on everything before it (erratum E21), but explains itself by what it conflicts with."""
        operation, step = tree.history.operation(thread), self._steps[index]
        if operation is not None and dependent(step.operation.kind, step.footprint, operation.kind, operation.footprint):
            self.found[Race(index, thread, tree.history.threads[thread].steps)] = None


def races_of(trace: Trace) -> list[Race]:
    """In the order in which they came about."""
    rule = _Races(trace)
    Tree(NONE, rule, SearchOptions(sleep_sets=False)).put_back(trace)
    return list(rule.found)


def nearest_passing(executor: Executor, trace: Trace, more_time: Callable[[], bool], tries: int = TRIES) -> Neighbour | None:
    """None: no race that was tried makes the difference alone. `trace` is a whole failing execution."""
    if trace.first or len(trace.steps) > _LONGEST:
        return None
    races = races_of(trace)
    best: Neighbour | None = None
    for tried, race in enumerate(reversed(races[-tries:]), 1):
        if not more_time():
            break
        passed = _turned_round(executor, trace, race)
        if passed is None:
            continue
        differs = sum(_is_reversed(trace, other, passed) for other in races)
        if best is None or differs < best.reversed_races:
            best = Neighbour(race, Schedule.of(step.choice for step in passed.steps), differs, tried)
        if best.reversed_races <= 1:
            break
    return best


def _turned_round(executor: Executor, trace: Trace, race: Race) -> Trace | None:
    """The execution with one race the other way, if it can be had and passes."""
    chooser = _TurnRound(trace, race)
    try:
        passed = executor.run(Plan(max_steps=4 * len(trace.steps) + 200, chooser=chooser, tentative=True))
    except Diverged:
        return None  # an alternative of the failing execution is not offered in this one
    same = _alternatives_of(passed) == _alternatives_of(trace)  # else that makes the difference
    return passed if passed.end.outcome is Outcome.PASSED and chooser.done and same else None


class _TurnRound:
    """A chooser: the failing schedule, but the step of a race waits until the operation it came before is done."""

    def __init__(self, trace: Trace, race: Race) -> None:
        self._queue = [step.thread for step in trace.steps]
        self._race = race
        self._held = trace.steps[race.index].thread
        self._held_number = sum(step.thread == self._held for step in trace.steps[: race.index])
        self._counts: Counter[int] = Counter()
        self._alternatives = _alternatives_of(trace)

    @property
    def done(self) -> bool:
        return self._counts[self._race.thread] > self._race.number

    def __call__(self, state: State) -> int | None:
        candidates = set(threads_in(state.enabled))
        if not self.done and self._counts[self._held] == self._held_number:
            candidates.discard(self._held)
            if self._race.thread in candidates:
                return self._take(self._race.thread)
        if not candidates:
            return None  # the step was needed for the operation: it cannot come second
        policy = state.last if state.last is not None and state.last in candidates else min(candidates)
        return self._take(next((thread for thread in self._queue if thread in candidates), policy))

    def _take(self, thread: int) -> int:
        if thread in self._queue:
            self._queue.remove(thread)
        number = self._counts[thread]
        self._counts[thread] += 1
        return choice_of(thread, self._alternatives.get((thread, number), 0))


def _alternatives_of(trace: Trace) -> dict[tuple[int, int], int]:
    """What the n-th operation of a thread took, if it was not the first alternative."""
    counts: Counter[int] = Counter()
    taken = {}
    for step in trace.steps:
        if step.alternative:
            taken[step.thread, counts[step.thread]] = step.alternative
        counts[step.thread] += 1
    return taken


def _is_reversed(trace: Trace, race: Race, other: Trace) -> bool:
    """Does the operation of a race come before its step in another execution?"""
    first = trace.steps[race.index].thread
    number = sum(step.thread == first for step in trace.steps[: race.index])
    return _position(other, race.thread, race.number) < _position(other, first, number)


def _position(trace: Trace, thread: int, number: int) -> int:
    """Of the operation `number` of a thread; after everything if it was not done."""
    mine = [index for index, step in enumerate(trace.steps) if step.thread == thread]
    return mine[number] if number < len(mine) else len(trace.steps)
