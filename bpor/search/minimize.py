"""minimize(schedule, still_fails): the same failure with fewest alternatives, preemptions, switches and steps, in that order.

Knows nothing of processes: a candidate is a schedule, the predicate tells what it became. Blocks of one thread are merged, dropped,
swapped and cut off, after Jalbert and Sen, "A Trace Simplification Technique for Effective Debugging of Concurrent Programs" (FSE 2010).

Invariant: the answer is a schedule that the predicate has returned (or the one given), and never costs more than the one given. It
is a local minimum: no single change below makes it cheaper, unless the tries ran out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from itertools import chain, groupby, pairwise

from bpor.model.choice import Choice, alternative_of, choice_of, thread_of
from bpor.model.schedule import Schedule

TRIES = 300

Block = tuple[Choice, ...]  # consecutive choices of one thread
StillFails = Callable[[Schedule], Schedule | None]
Preemptions = Callable[[Schedule], int]


def minimize(schedule: Schedule, still_fails: StillFails, *, preemptions: Preemptions | None = None, tries: int = TRIES) -> Schedule:
    """`still_fails(candidate)` follows the candidate, lets the default policy complete it and returns the whole executed schedule
    if it failed in the same way, None if it passed, failed otherwise or could not be followed.

    `preemptions` counts those of an executed schedule (only who ran it knows who was enabled). Without it switches decide.
    """
    return _Minimizer(schedule, still_fails, preemptions or (lambda _: 0), tries).run()


def switches(schedule: Schedule) -> int:
    return sum(thread_of(a) != thread_of(b) for a, b in pairwise(schedule.threads))


class _Minimizer:
    def __init__(self, schedule: Schedule, still_fails: StillFails, preemptions: Preemptions, tries: int) -> None:
        self._still_fails, self._preemptions, self._left = still_fails, preemptions, tries
        self._best = schedule
        self._cost = self._cost_of(schedule)
        self._tried = {schedule}

    def _cost_of(self, schedule: Schedule) -> tuple[int, ...]:
        taken = tuple(alternative_of(choice) for choice in schedule)
        return sum(map(bool, taken)), sum(taken), self._preemptions(schedule), switches(schedule), len(schedule)

    def run(self) -> Schedule:
        with suppress(KeyboardInterrupt):  # whoever waits has waited enough: the best so far is an answer
            while any(self._improves(candidate) for candidate in _simpler(self._best)):
                pass  # `any` stops at the first success: go on from there
        return self._best

    def _improves(self, candidate: Schedule) -> bool:
        if candidate in self._tried or self._left <= 0:
            return False
        self._tried.add(candidate)
        self._left -= 1
        executed = self._still_fails(candidate)
        if executed is None:
            return False
        cost = self._cost_of(executed)
        if cost >= self._cost:
            return False
        self._best, self._cost = executed, cost
        return True


def _simpler(schedule: Schedule) -> Iterator[Schedule]:
    """Candidates, the boldest first: short prefixes, then merged, dropped, swapped and shortened blocks, each also cut off after
    the change, so that the default policy is free to go on without switches."""
    yield Schedule()
    yield from _ordinary(schedule.threads)
    blocks = [tuple(run) for _, run in groupby(schedule.threads, thread_of)]
    length = 1
    while length < len(blocks):
        yield _joined(blocks[:length])
        length *= 2
    for changed, end in chain(_merged(blocks), _dropped(blocks), _swapped(blocks), _shortened(blocks)):
        yield _joined(changed)
        yield _joined(changed[:end])
    for length in range(len(blocks) - 1, 0, -1):
        yield _joined(blocks[:length])


def _ordinary(choices: tuple[Choice, ...]) -> Iterator[Schedule]:
    """Every alternative to the first, all of them and one by one; then to a smaller one. Each also cut off after the change."""
    taken = [index for index, choice in enumerate(choices) if alternative_of(choice)]
    if len(taken) > 1:
        yield Schedule(tuple(map(thread_of, choices)))
    for index in reversed(taken):
        for alternative in sorted({0, alternative_of(choices[index]) - 1}):
            changed = choice_of(thread_of(choices[index]), alternative)
            yield Schedule((*choices[:index], changed, *choices[index + 1 :]))
            yield Schedule((*choices[:index], changed))


def _merged(blocks: list[Block]) -> Iterator[tuple[list[Block], int]]:
    """A thread's block is moved down to its next one: it waits until the others are through. (Moving the later one up found nothing
    more on simulated programs and cost tries.)"""
    for first, second in _same_thread(blocks):
        yield [*blocks[:first], *blocks[first + 1 : second], blocks[first] + blocks[second], *blocks[second + 1 :]], second


def _dropped(blocks: list[Block]) -> Iterator[tuple[list[Block], int]]:
    for index in reversed(range(len(blocks))):
        yield [*blocks[:index], *blocks[index + 1 :]], index + 1


def _swapped(blocks: list[Block]) -> Iterator[tuple[list[Block], int]]:
    """In another order a thread may be blocked where it was preempted."""
    for index in reversed(range(len(blocks) - 1)):
        yield [*blocks[:index], blocks[index + 1], blocks[index], *blocks[index + 2 :]], index + 2


def _shortened(blocks: list[Block]) -> Iterator[tuple[list[Block], int]]:
    """A block is left earlier: half of it, or one step. What the thread did not do yet is the default policy's."""
    for index in reversed(range(len(blocks))):
        block = blocks[index]
        for keep in sorted({len(block) // 2, len(block) - 1} - {0}):
            yield [*blocks[:index], block[:keep], *blocks[index + 1 :]], index + 1


def _same_thread(blocks: list[Block]) -> Iterator[tuple[int, int]]:
    """(block, the next one of the same thread), the last first: what comes late depends on less."""
    following: dict[int, int] = {}
    pairs: list[tuple[int, int]] = []
    for index in reversed(range(len(blocks))):
        thread = thread_of(blocks[index][0])
        if thread in following:
            pairs.append((index, following[thread]))
        following[thread] = index
    return iter(pairs)


def _joined(blocks: list[Block]) -> Schedule:
    return Schedule(tuple(choice for block in blocks for choice in block))
