"""A worker that lies plausibly: its counts add up and never fall, and only somebody who searches the same again can tell."""

from __future__ import annotations

import contextlib
import os
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from bpor.cluster import connection, host, jury, remote
from bpor.cluster.member import Answer
from bpor.cluster.testimony import facts_of
from bpor.lazy_dataclass import replace
from bpor.model.exploration import TreeTold
from bpor.model.trace import Trace
from tests.native.test_cluster import counter, make_cluster, on_cluster

Lie = Callable[[Any], Any]  # of what a member answers


@pytest.fixture(autouse=True)
def short_batches(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(remote, "_SLOWER", 1)
    monkeypatch.setattr(connection, "_CONNECT", 5.0)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))


def of_tree(value: Any, lie: Callable[[TreeTold], TreeTold]) -> Any:
    if not isinstance(value, Trace) or value.batch is None or not value.batch.trees[0].begun:
        return value
    first, second = value.batch.trees
    return replace(value, batch=replace(value.batch, trees=(lie(first), second)))


def says_that_it_is_done(value: Any) -> Any:
    return of_tree(value, lambda tree: replace(tree, finished=True))


def lets_a_thread_sleep_for_ever(value: Any) -> Any:
    return of_tree(value, lambda tree: replace(tree, above=None if tree.above is None else replace(tree.above, watch=())))


def keeps_quiet_of_a_thread_to_be_tried(value: Any) -> Any:
    def lie(frame: dict[str, Any]) -> dict[str, Any]:
        left = frame["backtrack"] & ~frame["done"]
        return frame | {"backtrack": frame["backtrack"] & ~(left & -left)} if left.bit_count() > 1 else frame

    return value | {"frames": list(map(lie, value["frames"]))} if isinstance(value, dict) else value


def counts_one_more(value: Any) -> Any:
    if not isinstance(value, Trace) or value.batch is None:
        return value
    return replace(value, batch=replace(value.batch, executions=value.batch.executions + 1))


LIES: list[Lie] = [says_that_it_is_done, lets_a_thread_sleep_for_ever, keeps_quiet_of_a_thread_to_be_tried, counts_one_more]
TOLD = LIES if os.environ.get("BPOR_TEST_KILLS") else LIES[:1]


@pytest.mark.parametrize("lie", TOLD)
def test_a_worker_that_lies_is_convicted_and_what_it_said_is_searched_again(lie: Lie, monkeypatch: pytest.MonkeyPatch) -> None:
    distributed: Any = pytest.importorskip("distributed", reason="needs dask.distributed (pip install 'bpor-native[cluster]')")
    begin, ask, liars, told = host.Host.__init__, host.Host.ask, set(), []

    with make_cluster() as cluster:
        liar = min(worker.address for worker in cluster.workers.values())  # the first to get a part

        def begin_there(self: host.Host, parcel: Any) -> None:
            begin(self, parcel)
            with contextlib.suppress(ValueError):  # it is the client's
                liars.update([self] if distributed.get_worker().address == liar else [])

        async def lie_there(self: host.Host, request: bytes) -> bytes:
            answer: Answer = pickle.loads(await ask(self, request))
            if self not in liars:
                return pickle.dumps(answer)
            value = lie(answer.value)
            told.append(facts_of(value) != facts_of(answer.value))
            return pickle.dumps(replace(answer, value=value))

        monkeypatch.setattr(host.Host, "__init__", begin_there)
        monkeypatch.setattr(host.Host, "ask", lie_there)
        monkeypatch.setattr(jury, "SHARE", 1)
        there = on_cluster(counter(4), cluster.scheduler_address, "--bound", "none", "--no-known-steps")
        monkeypatch.setattr(jury, "SHARE", 10**9)
        believed = on_cluster(counter(4), cluster.scheduler_address, "--bound", "none", "--no-known-steps")
    assert (there.exit_code, there.report["executions"], there.report["distinct_traces"]) == (0, 2520, 2520), there
    assert there.report["statement"].count(f"the worker at {liar} lied, was excluded, and all of it was searched again") == any(told), there
    assert believed.exit_code == 0, "a lie that can be told by its numbers is another test's"
    assert believed.report["executions"] != 2520 or lie not in (says_that_it_is_done, counts_one_more), "the lie is no lie"
