"""Lassos modulo counters: rounds in which the same threads do the same operations at the same places with the same success, and every
word that differs grows by the same amount in each round.

That proves nothing: `for (tries = 1000; !flag && tries--;) yield;` is correct and looks like this until its count runs out. So the rounds
are run on to the step limit, and what is still alike then is called a livelock that is not proved; what ended is nothing.
"""

from __future__ import annotations

from collections.abc import Sequence

from bpor.lazy_dataclass import dataclass
from bpor.model.schedule import Schedule
from bpor.model.step import Step
from bpor.model.trace import Change, Outcome, Trace
from bpor.search.lasso.rounds import starved

ALIKE = 3  # rounds
_LONGEST = 2_000  # steps of a round
_WORD, _HALF = 1 << 64, 1 << 32
_FIRST_ADDRESS = 4096  # what lies below stands for something else than a word: it must not change


@dataclass(frozen=True, slots=True)
class Counter:
    """A word that grows (or shrinks) by the same amount in each round."""

    object: int  # canonical; 0: it has no name
    thread: int | None  # whose register it is; None: it is memory
    stride: int


def periodic(trace: Trace) -> Schedule | None:
    """The lasso that a long execution looks like, by what its threads do and where; None: it does not go round, or is not fair.

    As in the criterion for long executions, every thread of the round yields in it: work that is done without a yield waits for nobody.
    """
    if trace.end.outcome is not Outcome.STEP_LIMIT or trace.first:
        return None
    length = period(trace.steps)
    if length is None:
        return None
    done = [_shape(step) for step in trace.steps]
    start = len(done) - length
    while start > 0 and done[start - 1] == done[start - 1 + length]:
        start -= 1
    start = min(start + length, len(done) - length)  # the first round may still differ in what it leaves behind
    threads = tuple(step.choice for step in trace.steps)
    round = trace.steps[start : start + length]
    if starved(trace, start, start + length) or {step.thread for step in round} != {step.thread for step in round if step.yields}:
        return None
    return Schedule(threads[:start], threads[start : start + length])


def period(steps: Sequence[Step]) -> int | None:
    """Of how many steps the last rounds are, in which the same threads do the same at the same places."""
    done = [_shape(step) for step in steps]
    return next((each for each in range(1, min(len(done) // (ALIKE + 1), _LONGEST) + 1) if _repeats(done, each)), None)


def _shape(step: Step) -> tuple[object, ...]:
    return step.thread, step.operation.kind, step.operation.site, step.failed, step.timed_out


def _repeats(done: Sequence[object], length: int) -> bool:
    """Are the last rounds of so many steps alike?"""
    end = len(done)
    return all(done[end - 1 - back] == done[end - 1 - back - length] for back in range(ALIKE * length))


def counters_of(trace: Trace, lasso: Schedule) -> tuple[Counter, ...] | None:
    """Of an execution that compared its rounds to the end; None: they are not alike, or it ended."""
    stem, length = len(lasso.threads), len(lasso.round)
    if trace.end.outcome is not Outcome.STOPPED or trace.unidentified or (trace.length - stem) % length:
        return None
    done = [_shape(step) for step in trace.steps[max(stem - trace.first, 0) :]]
    if any(done[index] != done[index - length] for index in range(length, len(done))):
        return None
    rounds: dict[int, dict[tuple[int, int | None], Change]] = {}
    for change in trace.changes:
        rounds.setdefault(change.taken, {})[change.address, change.thread] = change
    first = rounds.get(stem + length)
    if first is None or min(address for address, _ in first) < _FIRST_ADDRESS:
        return None
    grown = _strides(first)
    if any(_strides(rounds.get(index, {})) != grown for index in range(stem + 2 * length, trace.length + 1, length)):
        return None
    return tuple(dict.fromkeys(_counter(change) for change in first.values()))


def _strides(changes: dict[tuple[int, int | None], Change]) -> dict[tuple[int, int | None], int]:
    return {place: (change.now - change.before) % _WORD for place, change in changes.items()}


def _counter(change: Change) -> Counter:
    """A count of four bytes may be the upper half of its word."""
    stride, upper = (change.now - change.before) % _WORD, 0
    if stride % _HALF == 0:
        stride, upper = stride // _HALF, 4
        return Counter(change.object + upper * bool(change.object), change.thread, _signed(stride, _HALF))
    same_upper = change.now // _HALF == change.before // _HALF
    return Counter(change.object, change.thread, _signed(stride % _HALF, _HALF) if same_upper else _signed(stride, _WORD))


def _signed(value: int, size: int) -> int:
    return value - size if value >= size // 2 else value
