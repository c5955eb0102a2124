"""Wakeup trees (JACM 2017, section 6): beginnings of executions that are still to be run at a state, as an ordered tree of steps.

Invariant: no beginning in a tree is equivalent to a part of another one, so no execution that follows one is redundant.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence

from bpor.search.engine.cells import Touches


class Item:
    """A step to be made: whose, and what it touches."""

    __slots__ = ("creates", "ends", "foreseen", "index", "span", "thread", "touches")

    def __init__(self, thread: int, touches: Touches, ends: bool, index: int = -1, creates: tuple[int, ...] = ()) -> None:
        self.thread = thread
        self.touches = touches
        self.ends = ends  # the process: dependent with everything
        self.index = index  # of the step in the execution it comes from; -1: it was reversed, or did not run there
        self.creates = creates  # threads
        self.span = False  # not one step, but all that a timeout brought about before the next idle state
        self.foreseen = True  # it sees the past that it saw; else only its operation is known

    def depends_on(self, other: Item) -> bool:
        """Of different threads."""
        return self.ends or other.ends or self.touches.watch.conflicts(other.touches)


_ranks = itertools.count()


class Branch:
    __slots__ = ("children", "item", "rank")

    def __init__(self, item: Item) -> None:
        self.item = item
        self.rank = next(_ranks)  # the order of the tree: siblings as they were found
        self.children: list[Branch] = []


Precedes = Callable[[Item, Item], bool]  # of two items of one sequence: does the first happen before the second?


def is_weak_initial(item: Item, sequence: Sequence[Item], precedes: Precedes) -> bool:
    """May the sequence begin with this step of `item.thread`, up to equivalence and more steps at its end?"""
    position = first_of(item.thread, sequence)
    if position is None:
        return not any(item.depends_on(each) for each in sequence)
    return not any(precedes(sequence[earlier], sequence[position]) for earlier in range(position))


def first_of(thread: int, sequence: Sequence[Item]) -> int | None:
    return next((position for position, each in enumerate(sequence) if each.thread == thread), None)


def insert(siblings: list[Branch], sequence: Sequence[Item], precedes: Precedes) -> bool:
    """Adds what of the sequence the tree does not cover yet; False: it covers all of it."""
    left = list(sequence)
    while left:
        branch = next((each for each in siblings if is_weak_initial(each.item, left, precedes)), None)
        if branch is None:
            for item in left:
                following = Branch(item)
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
