"""Wakeup trees (JACM 2017, section 6): beginnings of executions that are still to be run at a state, as an ordered tree of steps.

Invariant: no beginning in a tree is equivalent to a part of another one, so no execution that follows one is redundant.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from bpor.search.engine.cells import Cells, Touches
from bpor.search.optimal.question import Question, Reply
from bpor.search.optimal.span import Span


class WakeupStep:
    """A step to be made: whose, and what it touches."""

    __slots__ = ("creates", "ends", "foreseen", "index", "least", "question", "span", "thread", "touches")

    def __init__(self, thread: int, touches: Touches, ends: bool, index: int = -1, creates: tuple[int, ...] = ()) -> None:
        self.thread = thread
        self.touches = touches
        self.ends = ends  # the process: dependent with everything
        self.index = index  # of the step in the execution it comes from; -1: it was reversed, or did not run there
        self.creates = creates  # threads
        self.span: Span | None = None  # not one step, but all that a timeout brought about before the next idle state
        self.foreseen = True  # it sees the past that it saw; else only its operation is known
        self.least: Touches | None = None  # what it touches if it is a try that fails; None: that is settled
        self.question: Question | None = None  # which would settle it

    def depends_on(self, other: WakeupStep) -> bool:
        """Of different threads."""
        return self.ends or other.ends or self.touches.watch.conflicts(other.touches)

    def is_open_beside(self, other: WakeupStep) -> bool:
        """Does it hang on what is not settled whether they depend on each other?"""
        if self.thread == other.thread or self.ends or other.ends or (self.least is None and other.least is None):
            return False
        return self.depends_on(other) and not (self.least or self.touches).watch.conflicts(other.least or other.touches)

    def settle(self, answer: Reply, cells: Cells) -> None:
        self.least = self.question = None
        if answer.footprint is not None:
            self.touches = cells.resolve(answer.footprint)
            self.ends = answer.ends
            self.foreseen = True


class _Ranks:
    next = 0


def count_from(rank: int) -> None:
    """Branches of an earlier process come before those made from now on."""
    _Ranks.next = max(_Ranks.next, rank)


class WakeupBranch:
    __slots__ = ("children", "item", "rank")

    def __init__(self, item: WakeupStep) -> None:
        self.item = item
        self.rank = _Ranks.next  # the order of the tree: siblings as they were found
        _Ranks.next += 1
        self.children: list[WakeupBranch] = []


Precedes = Callable[[WakeupStep, WakeupStep], bool]  # of two items of one sequence: does the first happen before the second?


def is_weak_initial(item: WakeupStep, sequence: Sequence[WakeupStep], precedes: Precedes) -> bool:
    """May the sequence begin with this step of `item.thread`, up to equivalence and more steps at its end?"""
    position = first_of(item.thread, sequence)
    if position is None:
        return not any(item.depends_on(each) for each in sequence)
    return not any(precedes(sequence[earlier], sequence[position]) for earlier in range(position))


def to_settle(sequence: Sequence[WakeupStep], others: Sequence[WakeupStep]) -> WakeupStep | None:
    """An item that must be settled before the sequence is compared with the others. A failed try that is taken for a write lets beginnings
    be added that it covers, and others be left out because of those."""
    for item in (each for each in sequence if each.least is not None):
        # What comes before it in the sequence is asked for only on behalf of another step of its thread.
        before = sequence if any(each.thread == item.thread for each in others) else ()
        if any(item.is_open_beside(each) for each in (*before, *others)):
            return item
    for item in others:
        if item.least is not None and any(item.is_open_beside(each) for each in sequence):
            return item
    return None


def items_of(branches: Sequence[WakeupBranch]) -> list[WakeupStep]:
    """Of a whole tree."""
    found, waiting = [], list(branches)
    while waiting:
        branch = waiting.pop()
        found.append(branch.item)
        waiting += branch.children
    return found


def first_of(thread: int, sequence: Sequence[WakeupStep]) -> int | None:
    return next((position for position, each in enumerate(sequence) if each.thread == thread), None)


def insert(siblings: list[WakeupBranch], sequence: Sequence[WakeupStep], precedes: Precedes) -> bool:
    """Adds what of the sequence the tree does not cover yet; False: it covers all of it."""
    left = list(sequence)
    while left:
        branch = next((each for each in siblings if is_weak_initial(each.item, left, precedes)), None)
        if branch is None:
            for item in left:
                following = WakeupBranch(item)
                siblings.append(following)
                siblings = following.children
            return True
        if not branch.children:
            return False
        position = first_of(branch.item.thread, left)
        if position is not None:
            del left[position]
        siblings = branch.children
    return False
