"""Node: a state on the stack of optimal search: what is still to be run there, what was, and who sleeps.

In an idle state those timeouts are tried that may make a difference there (timeouts.py). Those that were sleep while the next ones are
tried, each as the span of all that it may bring about before the next idle state (span.py).
"""

from __future__ import annotations

from bpor.search.optimal.races import Reversal
from bpor.search.optimal.span import Span
from bpor.search.optimal.wakeup import WakeupBranch, WakeupStep, is_weak_initial, items_of


class Node:
    __slots__ = ("chosen", "explored", "idle", "sleep", "span", "timed", "waiting")

    def __init__(self, timed: int, sleep: dict[int, WakeupStep], before: Node | None = None) -> None:
        self.timed = timed  # nonzero: the state is idle
        self.idle: Node | None = self if timed else before.idle if before is not None else None  # the last idle one, up to this
        self.sleep = sleep  # threads asleep on arrival
        self.waiting: list[WakeupBranch] = []  # the wakeup tree
        self.chosen: WakeupBranch | None = None  # the step being explored
        self.explored: list[WakeupBranch] = []  # those before it
        self.span = Span()  # in an idle state: of the step being explored

    def leave(self) -> None:
        """Everything below the step being explored was. A timeout sleeps as all that it may bring about."""
        assert self.chosen is not None
        if self.timed:
            item, span = self.chosen.item, self.span
            self.chosen.item = WakeupStep(item.thread, item.touches, span.ends)
            self.chosen.item.span, self.span = span, Span()
        self.explored.append(self.chosen)
        self.chosen = None

    def beside(self, branch: WakeupBranch) -> dict[int, WakeupStep]:
        """Who sleeps while a branch is explored. Of those that wait only steps that are known: any other may end the process, and
        conflict with everything. Of the timeouts only those explored: what others bring about is not known."""
        waiting = () if self.timed else (each for each in self.waiting if each.item.foreseen)
        older = (each for each in (*self.explored, *waiting) if each.rank < branch.rank)
        return self.sleep | {each.item.thread: each.item for each in older if each.item.thread != branch.item.thread}

    def items(self) -> list[WakeupStep]:
        """All that a beginning is compared with that may be added here."""
        return [*self.sleep.values(), *(branch.item for branch in self.explored), *items_of(self.waiting)]

    def covers(self, reversal: Reversal) -> bool:
        """Does everything that begins like this begin, up to equivalence, with a step whose turn was or with one that sleeps? A timeout is
        no beginning here: it comes in the next idle state, after more than is known yet."""
        assert self.chosen is not None
        older = [branch.item for branch in self.explored if branch.rank < self.chosen.rank]
        items = (item for item in (*self.sleep.values(), *older) if item.span is None)
        return any(is_weak_initial(item, reversal.sequence, reversal.precedes) for item in items)
