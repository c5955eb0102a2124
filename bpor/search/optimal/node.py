"""Node: a state on the stack of optimal search: what is still to be run there, what was, and who sleeps.

In an idle state every timed waiter is tried, since which timeout comes first is no race between steps. Those that were sleep while the
next ones are tried, each as the span of all that it may bring about before the next idle state: what touches nothing of that, and leaves
nothing to do that could come in between, comes before it just as well as after it. So a trace is hardly ever run twice (erratum E22).
"""

from __future__ import annotations

from bpor.search.engine.cells import Cell, Touches
from bpor.search.optimal.races import Reversal
from bpor.search.optimal.wakeup import Branch, Item, is_weak_initial, items_of


class Node:
    __slots__ = ("chosen", "explored", "idle", "sleep", "span", "timed", "waiting")

    def __init__(self, timed: int, sleep: dict[int, Item], before: Node | None = None) -> None:
        self.timed = timed  # nonzero: the state is idle
        self.idle: Node | None = self if timed else before.idle if before is not None else None  # the last idle one, up to this
        self.sleep = sleep  # threads asleep on arrival
        self.waiting: list[Branch] = []  # the wakeup tree
        self.chosen: Branch | None = None  # the step being explored
        self.explored: list[Branch] = []  # those before it
        self.span = Span()  # in an idle state: of the step being explored

    def leave(self) -> None:
        """Everything below the step being explored was. A timeout sleeps as all that it may bring about: beside what touches nothing of
        that it comes later just as well as first."""
        assert self.chosen is not None
        if self.timed:
            self.chosen.item = self.span.item(self.chosen.item.thread)
            self.span = Span()
        self.explored.append(self.chosen)
        self.chosen = None

    def beside(self, branch: Branch) -> dict[int, Item]:
        """Who sleeps while a branch is explored. Of those that wait only steps that are known: any other may end the process, and
        conflict with everything. Of the timeouts only those explored: what others bring about is not known."""
        waiting = () if self.timed else (each for each in self.waiting if each.item.foreseen)
        older = (each for each in (*self.explored, *waiting) if each.rank < branch.rank)
        return self.sleep | {each.item.thread: each.item for each in older if each.item.thread != branch.item.thread}

    def items(self) -> list[Item]:
        """All that a beginning is compared with that may be added here."""
        return [*self.sleep.values(), *(branch.item for branch in self.explored), *items_of(self.waiting)]

    def covers(self, reversal: Reversal) -> bool:
        """Does everything that begins like this begin, up to equivalence, with a step whose turn was or with one that sleeps? A timeout is
        no beginning here: it comes in the next idle state, after more than is known yet."""
        assert self.chosen is not None
        older = [branch.item for branch in self.explored if branch.rank < self.chosen.rank]
        items = (item for item in (*self.sleep.values(), *older) if not item.span)
        return any(is_weak_initial(item, reversal.sequence, reversal.precedes) for item in items)


class Span:
    """What one timeout brought about before the next idle state, in every execution that was run."""

    def __init__(self) -> None:
        self._cells: dict[Cell, bool] = {}
        self._ends = False  # the process, or nobody knows because an execution was cut: conflicts with everything

    def extend(self, touches: Touches, ends: bool) -> None:
        for cell, write in touches.pairs:
            self._cells[cell] = write or self._cells.get(cell, False)
        self._ends |= ends

    def cut(self) -> None:
        self._ends = True

    def item(self, thread: int) -> Item:
        item = Item(thread, Touches(tuple(self._cells.items())), self._ends)
        item.span = True
        return item
