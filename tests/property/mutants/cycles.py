"""Searches that recognise states, each without one of the rules that make them complete (errata E31 to E41)."""

from __future__ import annotations

from collections.abc import Callable, Collection

from bpor.model.components import Edges, N, strong_components
from bpor.search.cycles.table import Entry, Node
from bpor.search.cycles.tree import Mark, MatchingTree
from bpor.search.engine.frame import Frame


class KnownFuturesRaceWithNothing(MatchingTree):
    """E31: what lies below a state that is met again is not checked against the steps that lead there this time."""

    def _know(self, entry: Entry, frame: Frame, mark: Mark, used: int) -> None:
        frame.exceeded = entry.exceeded or used > entry.used
        self._pass_on(frame, mark, entry.cross)


class CyclesAreNotExpanded(MatchingTree):
    """E32: a cycle is a leaf like any other (the ignoring problem)."""

    def _expand(self, frame: Frame) -> None:
        pass


class OnlyTheHeadOfACycleIsExpanded(MatchingTree):
    """E33: all threads are tried at the state that the cycle comes back to, and nowhere else on it."""

    def _expand(self, frame: Frame) -> None:
        if self.marks[frame.index].low == frame.index:
            super()._expand(frame)
        frame.cyclic = True


class NodesForgetWhoRanLast(MatchingTree):
    """E34."""

    def _node(self, frame: Frame, mark: Mark) -> Node | None:
        node = super()._node(frame, mark)
        return None if node is None else (node[0], -1, *node[2:])


class EntriesThatSpentMoreMatch(MatchingTree):
    """E35: a state that was explored with more preemptions spent counts as explored."""

    def covered(self, entry: Entry, frame: Frame, used: int) -> bool:
        return entry.covers(entry.used, frame.sleep)


class MatchesExceedNothing(MatchingTree):
    """E36: that the bound refused somebody below a state that is met again is forgotten."""

    def _know(self, entry: Entry, frame: Frame, mark: Mark, used: int) -> None:
        super()._know(entry, frame, mark, used)
        frame.exceeded = False


class RoundsAreCharged(MatchingTree):
    """E37: leaving a thread that comes back alone costs a preemption."""

    def _free_rounds(self, identity: int, thread: int) -> None:
        pass


class SleepersStayAsleepOnCycles(MatchingTree):
    """E38: threads fall asleep at the states of a cycle."""

    def _expand(self, frame: Frame) -> None:
        watches = frame.watches
        super()._expand(frame)
        frame.watches, frame.cyclic = watches, False


class SleepersOfAnEntryDoNotMatter(MatchingTree):
    """E39: a state that was explored while others slept counts as explored."""

    def covered(self, entry: Entry, frame: Frame, used: int) -> bool:
        return entry.used <= used


class NodesForgetYields(MatchingTree):
    """E41."""

    def _node(self, frame: Frame, mark: Mark) -> Node | None:
        node = super()._node(frame, mark)
        return None if node is None else (*node[:2], (), 0)


def weakly_fair_components(nodes: Collection[N], edges: Edges[N], enabled: Callable[[N], int]) -> list[frozenset[N]]:
    """E40: only a thread that is enabled at every state of a cycle has to step in it."""
    found: list[frozenset[N]] = []
    for component in strong_components(nodes, lambda node: [to for _, to in edges.get(node, ())]):
        inside = frozenset(component)
        steps, wanting = 0, ~0
        for node in inside:
            wanting &= enabled(node)
            steps |= sum({1 << thread for thread, to in edges.get(node, ()) if to in inside})
        if steps and not wanting & ~steps:
            found.append(inside)
    return found
