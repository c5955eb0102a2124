"""The rounds in one execution whose states are known: a state that comes back is a cycle, and the steps between are a round.

Invariant: fairness is strong (bpor/model/components.py). A thread that waits with a timeout counts as one that can run, because real time
passes, though our timeouts pass in idle states only.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Collection
from itertools import pairwise

from bpor.model.components import fair_components, strong_components
from bpor.model.policy import threads_in
from bpor.model.schedule import Schedule
from bpor.model.trace import Trace

Edges = dict[int, dict[int, int]]  # state -> thread -> state


def able(trace: Trace) -> list[int]:
    """At each state, the last one included, the threads that can run sooner or later without any step of another."""
    pending = dict(trace.initial)
    waiting = {thread for thread, operation in pending.items() if operation.timed}
    masks = []
    for step in trace.steps:
        masks.append(step.enabled | sum(1 << thread for thread in waiting))
        waiting.difference_update((step.thread, *step.finished))
        waiting.update(thread for thread, operation in step.announced if operation.timed)
    masks.append(trace.enabled | sum(1 << thread for thread in waiting))
    return masks


def starved(trace: Trace, start: int, end: int) -> int:
    """The threads that can run at some state of a round and do not: none if it is fair."""
    masks = able(trace)[start - trace.first : end - trace.first]
    wanting = steps = 0
    for mask, step in zip(masks, trace.steps[start - trace.first : end - trace.first], strict=True):
        wanting |= mask
        steps |= 1 << step.thread
    return wanting & ~steps


class Walk:
    """The states of one execution, from its first step, as a graph."""

    def __init__(self, trace: Trace) -> None:
        self.trace = trace
        self.enabled: dict[int, int] = {}
        self.edges: Edges = {}
        states = trace.states
        for state, mask in zip(states, able(trace), strict=False):
            if state is not None:
                self.enabled[state] = self.enabled.get(state, 0) | mask
        for step, state, following in zip(trace.steps, states, states[1:], strict=False):
            if state is not None and following is not None:
                self.edges.setdefault(state, {})[step.thread] = following

    def fair_round(self) -> Schedule | None:
        """The lasso of the first component that a fair scheduler can go round in for ever: the shortest way there, then for each thread
        that must step the nearest edge, and home."""
        known = [state for state in self.trace.states if state is not None]
        components = self._fair()
        inside = next((part for state in known for part in components if state in part), None)
        if inside is None:
            return None
        stem, start = self._way(known[0], inside, self.edges.keys())
        round: list[int] = []
        state = start
        missing = {thread for each in inside for thread in threads_in(self.enabled[each])}
        while missing:
            homes = {each for each in inside if any(self.edges[each].get(thread) in inside for thread in missing)}
            way, state = self._way(state, homes, inside)
            thread = min(thread for thread in missing if self.edges[state].get(thread) in inside)
            round += [*way, thread]
            missing.difference_update(round)
            state = self.edges[state][thread]
        way, _ = self._way(state, {start}, inside)
        return Schedule(tuple(stem), (*round, *way))

    def has_fair_round(self) -> bool:
        return bool(self._fair())

    def _fair(self) -> list[frozenset[int]]:
        return fair_components(list(self.enabled), self._edges(), self.enabled.__getitem__)

    def unfair_rounds(self) -> list[set[int]]:
        """Indices of the steps inside each component in which somebody goes round while another could run and never does."""
        states = self.trace.states
        parts = strong_components(list(self.enabled), lambda state: list(self.edges.get(state, {}).values()))
        place = {state: number for number, part in enumerate(parts) for state in part}
        inside: dict[int, set[int]] = {}
        for index, (state, following) in enumerate(pairwise(states)):
            if state is not None and following is not None and place[state] == place[following]:
                inside.setdefault(place[state], set()).add(index)
        return list(inside.values())

    def _edges(self) -> dict[int, list[tuple[int, int]]]:
        return {state: list(edges.items()) for state, edges in self.edges.items()}

    def _way(self, start: int, goals: Collection[int], within: Collection[int]) -> tuple[list[int], int]:
        """Breadth first: the threads that lead to the nearest goal, and which that is."""
        came: dict[int, tuple[int, int] | None] = {start: None}
        line = deque([start])
        while line:
            state = line.popleft()
            if state in goals:
                way: list[int] = []
                goal, before = state, came[state]
                while before is not None:
                    way.append(before[1])
                    before = came[before[0]]
                return way[::-1], goal
            for thread, following in self.edges.get(state, {}).items():
                if following not in came and (following in within or following in goals):
                    came[following] = (state, thread)
                    line.append(following)
        raise AssertionError("the goal is in the same component")
