"""Failures: the failing executions of a search that are kept, the cheapest of each way to fail.

Invariant: which are kept, and in which order they are told, follows from the executions and not from their order: several processes keep
what one keeps. Beside the program csrc/beside/ways.c tells which executions may be worth keeping, in the same order of costs.
"""

from __future__ import annotations

from collections.abc import Iterable

from bpor.model.mixing import mixed_on
from bpor.model.trace import Outcome, Trace
from bpor.protocol.ops import Op
from bpor.search.result import Failure

MAX_KEPT = 100  # ways to fail; further executions are only counted, so that memory stays flat


def manner(trace: Trace, addresses: bool = True) -> object:
    """How an execution failed: for a deadlock who waits where, so that making one small does not turn it into another.

    Without `addresses`, what is comparable between two processes, whose code may lie elsewhere.
    """
    end = trace.end
    stuck: dict[int, tuple[Op, int]] = {}
    if end.outcome is Outcome.DEADLOCK:
        announced = [*trace.initial, *(pair for step in trace.steps for pair in step.announced)]
        gone = _finished(trace)
        stuck = {thread: (operation.kind, operation.site * addresses) for thread, operation in announced if thread not in gone}
    return end.outcome, end.code, end.thread, end.stack if addresses else (), tuple(sorted(stuck.items(), key=lambda item: item[0]))


def _finished(trace: Trace) -> set[int]:
    """A mover that announces nothing after its step has ended."""
    gone: set[int] = set()
    for step in trace.steps:
        gone.update(step.finished)
        if all(thread != step.thread for thread, _ in step.announced):
            gone.add(step.thread)
    return gone


def cheapest_first(failures: Iterable[Failure]) -> list[Failure]:
    """Those with the fewest preemptions, then the shortest; which of several that cost the same is a matter of their schedules alone."""
    return sorted(failures, key=lambda failure: (failure.trace.preemptions, len(failure.schedule), _rank(failure)))


def keep(kept: list[Failure], failure: Failure) -> None:
    """Puts it among those that are kept, if it is the first of its way, or cheaper than the one that is there."""
    place = next((place for place, other in enumerate(kept) if other.way == failure.way), None)
    if place is None and len(kept) < MAX_KEPT:
        kept.append(failure)
        return
    if place is None:
        place = max(range(MAX_KEPT), key=lambda number: (*_shape(kept[number]), _rank(kept[number])))
    if _is_cheaper(failure, kept[place]):
        kept[place] = failure


def _is_cheaper(one: Failure, other: Failure) -> bool:
    first, second = _shape(one), _shape(other)
    return _rank(one) < _rank(other) if first == second else first < second


def _shape(failure: Failure) -> tuple[int, int]:
    """Preemptions, and how many bits its length has: a search that goes back a step at a time would find a shorter one each time."""
    return failure.trace.preemptions, len(failure.schedule).bit_length()


def _rank(failure: Failure) -> int:
    """Among those of one shape; it takes as long as the schedule."""
    rank = 0
    for choice in failure.schedule:
        rank = mixed_on(rank, choice)
    return rank
