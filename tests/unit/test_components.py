from __future__ import annotations

import random

from bpor.model.components import fair_components, strong_components

Graph = dict[str, list[tuple[int, str]]]


def fair(graph: Graph, enabled: dict[str, int]) -> list[frozenset[str]]:
    return fair_components(list(graph), graph, lambda node: enabled[node])


def test_nodes_that_reach_each_other_are_one_component() -> None:
    graph = {1: [2], 2: [3], 3: [1, 4], 4: [5], 5: [4], 6: []}
    assert sorted(map(sorted, strong_components(graph, graph.__getitem__))) == [[1, 2, 3], [4, 5], [6]]


def test_components_agree_with_reachability_on_random_graphs() -> None:
    source = random.Random(1)
    for _ in range(200):
        size = source.randint(1, 8)
        graph = {node: [source.randrange(size) for _ in range(source.randint(0, 2))] for node in range(size)}
        reach = {node: {node} for node in graph}
        for _ in graph:
            reach = {node: reached.union(*(graph[each] for each in reached)) for node, reached in reach.items()}
        expected = {frozenset(other for other in graph if other in reach[node] and node in reach[other]) for node in graph}
        assert {frozenset(each) for each in strong_components(graph, graph.__getitem__)} == expected


def test_a_state_without_a_step_back_is_no_cycle() -> None:
    assert fair({"a": [(0, "b")], "b": []}, {"a": 0b1, "b": 0}) == []


def test_a_loop_beside_a_thread_that_never_steps_is_unfair() -> None:
    assert fair({"a": [(0, "a")]}, {"a": 0b11}) == []


def test_two_loops_that_are_unfair_each_are_fair_together() -> None:
    """`spin x | spin y`: judge components, not cycles."""
    assert fair({"a": [(0, "a"), (1, "a")]}, {"a": 0b11}) == [frozenset("a")]


def test_a_thread_that_is_enabled_only_now_and_then_has_to_step_too() -> None:
    """The good samaritan: while the spinner holds the mutex its helper is disabled, but not always (erratum E40)."""
    assert fair({"free": [(0, "held"), (1, "done")], "held": [(0, "free")], "done": []}, {"free": 0b11, "held": 0b01, "done": 0}) == []


def test_a_fair_part_of_an_unfair_component_is_found() -> None:
    """Thread 1 is enabled at a alone; thread 0 can go round b and c without passing there."""
    graph: Graph = {"a": [(0, "b")], "b": [(0, "c")], "c": [(0, "b"), (0, "a")]}
    assert fair(graph, {"a": 0b11, "b": 0b01, "c": 0b01}) == [frozenset("bc")]
