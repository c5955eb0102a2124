"""The simulation of a cluster does all the work, once, whatever the number of workers."""

from __future__ import annotations

import itertools

import pytest

from benchmarks.cluster_scale import Costs, depths, seconds, split

TREE = [tuple(word) for word in itertools.product(range(3), repeat=4)]  # 81 executions, in depth-first order


def test_executions_share_what_lies_above_the_state_where_they_part() -> None:
    assert depths([(0, 0, 1), (0, 0, 2), (0, 1, 0), (1, 0, 0)]) == [2, 1, 0]


def test_a_part_is_split_at_its_first_state_with_something_left() -> None:
    shared = depths(TREE)
    assert split((0, 81), shared) == [(0, 27), (27, 54), (54, 81)]
    assert split((5, 6), shared) == [(5, 6)]
    parts = split((3, 81), shared)
    assert [begin for begin, _ in parts[1:]] == [end for _, end in parts[:-1]] and (parts[0][0], parts[-1][1]) == (3, 81)


@pytest.mark.parametrize("workers", [1, 2, 9, 100])
def test_messages_that_cost_nothing_give_a_speed_up_of_no_more_than_the_workers(workers: int) -> None:
    alone = len(TREE) * 0.01
    took = seconds(depths(TREE), workers, Costs(message=0.0, latency=0.0, execution=0.01))
    assert alone / workers * 0.999 <= took <= alone * 1.001


def test_a_client_that_is_slow_makes_more_workers_useless() -> None:
    costs = Costs(message=0.1, latency=0.0, execution=0.01)
    assert seconds(depths(TREE), 50, costs) > seconds(depths(TREE), 1, costs)
