"""Explored: the graph that executions have shown. States are identities: equal ones go on alike.

Invariant: every edge is a step that some execution took, whatever bound it was taken under, so a livelock found here is real.
"""

from __future__ import annotations

from collections.abc import Iterable

from bpor.model.components import fair_components


class Explored:
    def __init__(self, rounds_yield: bool) -> None:
        """`rounds_yield`: a thread that comes back to a state comes back to it, whether it yields on its way or not."""
        self._rounds_yield = rounds_yield
        self.enabled: dict[int, int] = {}  # mask, by state
        self.edges: dict[int, dict[int, int]] = {}  # state -> thread -> state
        self.ends_rounds: set[tuple[int | None, int]] = set()  # steps that no round contains, because they yield
        self.circular: set[tuple[int | None, int]] = set()  # (state, thread): running on alone, the thread comes back to the state

    def state(self, identity: int, enabled: int) -> None:
        self.enabled[identity] = enabled

    def step(self, before: int, thread: int, after: int, yields: bool) -> None:
        self.edges.setdefault(before, {})[thread] = after
        if yields and not self._rounds_yield:
            self.ends_rounds.add((before, thread))

    def alone(self, identity: int, thread: int) -> Iterable[int]:
        """The states that a thread passes which runs on alone, as far as it was seen, up to the first that repeats."""
        seen: set[int] = set()
        following: int | None = identity
        while following is not None and following not in seen:
            seen.add(following)
            yield following
            ends = (following, thread) in self.ends_rounds
            following = None if ends else self.edges.get(following, {}).get(thread)

    def livelocks(self) -> list[frozenset[int]]:
        """Fair(C) for every component."""
        edges = {state: tuple(steps.items()) for state, steps in self.edges.items()}
        return fair_components(self.enabled, edges, lambda state: self.enabled.get(state, 0))
