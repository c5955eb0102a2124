"""Components of a graph of states, and which of them a fair scheduler can go round in for ever.

A cycle is *fair* if every thread that is enabled at some state of it takes a step in it (strong fairness). Weak fairness, enabled at all
states, would call a loop that polls under a mutex a livelock, because whoever would end it is disabled while the mutex is held (erratum
E40). Components are judged, not single cycles: where two threads spin each cycle of one of them is unfair, and their union is fair.
Nothing here recurses, and nothing depends on what a state is.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping
from typing import TypeVar

N = TypeVar("N", bound=Hashable)

Edges = Mapping[N, Iterable[tuple[int, N]]]  # state -> (thread that steps, state it leads to)


def strong_components(nodes: Collection[N], successors: Callable[[N], Iterable[N]]) -> list[list[N]]:
    """Maximal sets of nodes that reach each other, those that others lead to first (Tarjan 1972). Edges out of `nodes` do not count."""
    within = nodes if isinstance(nodes, set | frozenset) else set(nodes)
    order: dict[N, int] = {}
    low: dict[N, int] = {}
    waiting: list[N] = []  # visited, in no component yet
    placed: set[N] = set()
    found: list[list[N]] = []
    for root in nodes:
        path: list[tuple[N, Iterator[N]]] = []
        if root not in order:
            path.append(_enter(root, successors, order, low, waiting))
        while path:
            node, left = path[-1]
            following = next((each for each in left if each in within), None)
            if following is None:
                path.pop()
                if path:
                    above = path[-1][0]
                    low[above] = min(low[above], low[node])
                if low[node] == order[node]:
                    found.append(_take(node, waiting, placed))
            elif following not in order:
                path.append(_enter(following, successors, order, low, waiting))
            elif following not in placed:
                low[node] = min(low[node], order[following])
    return found


def _enter(
    node: N, successors: Callable[[N], Iterable[N]], order: dict[N, int], low: dict[N, int], waiting: list[N]
) -> tuple[N, Iterator[N]]:
    order[node] = low[node] = len(order)
    waiting.append(node)
    return node, iter(successors(node))


def _take(node: N, waiting: list[N], placed: set[N]) -> list[N]:
    component: list[N] = []
    while not component or component[-1] != node:
        component.append(waiting.pop())
    placed.update(component)
    return component


def fair_components(nodes: Collection[N], edges: Edges[N], enabled: Callable[[N], int]) -> list[frozenset[N]]:
    """Fair(C) for every component of a graph: the largest sets of states with a strongly fair cycle through all of them.

    `enabled` is the mask of the threads that can run at a state. Every edge must be a step that can be taken; an edge that is missing can
    hide a fair cycle, never invent one.
    """
    found: list[frozenset[N]] = []
    left: list[Collection[N]] = [nodes]
    while left:
        part = left.pop()
        for component in strong_components(part, lambda node: [to for _, to in edges.get(node, ())]):
            inside = frozenset(component)
            steps = wanting = 0
            for node in inside:
                wanting |= enabled(node)
                for thread, to in edges.get(node, ()):
                    if to in inside:
                        steps |= 1 << thread
            starved = wanting & ~steps
            if steps and not starved:
                found.append(inside)
            elif steps:  # a fair cycle cannot pass where a thread is enabled that never steps
                left.append([node for node in inside if not enabled(node) & starved])
    return found
