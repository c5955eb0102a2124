"""Workers that leave and join while a program is searched: the counts are those of one process. In soak_cluster_kills.py they are real
processes, some with a nanny."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from bpor.cluster import connection, jury, recovering, remote
from bpor.lazy_dataclass import replace
from bpor.model.plan import Plan
from bpor.model.trace import Trace
from tests.native.test_cluster import counter, make_cluster, members, on_cluster
from tests.native.tool import run_inside
from tests.patience import eventually

COUNTED = ("statement", "executions", "distinct_traces", "local_states", "steps", "redundant", "over_bound", "levels")


@pytest.fixture(autouse=True)
def short_batches(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(jury, "SHARE", 10**9)  # nobody is repeated
    monkeypatch.setattr(recovering, "INTERVAL", 0.0)
    monkeypatch.setattr(remote, "_SLOWER", 1)
    monkeypatch.setattr(remote, "_PATIENCE", 2.0)
    monkeypatch.setattr(connection, "_CONNECT", 5.0)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))


class Site:
    """A cluster, and what becomes of its workers."""

    def __init__(self, cluster: Any, client: Any) -> None:
        self._cluster, self._client = cluster, client

    def workers(self) -> list[str]:
        return list(self._cluster.scheduler.workers)

    def retire(self, place: str) -> None:
        """As whoever ends a worker politely does: what it holds is to be moved, and a member of a search cannot be."""
        self._client.retire_workers([place], close_workers=True)

    def lose(self, place: str) -> None:
        worker = next(one for one in self._cluster.workers.values() if one.address == place)
        self._cluster.sync(worker.close, nanny=False)
        eventually(lambda: place not in self.workers(), "the worker is gone")

    def add(self, place: str) -> None:
        before = len(self.workers())
        self._cluster.scale(len(self._cluster.worker_spec) + 1)
        eventually(lambda: len(self.workers()) > before, "another worker joins")


def test_workers_that_retire_are_lost_and_join_late_change_no_count(monkeypatch: pytest.MonkeyPatch) -> None:
    distributed: Any = pytest.importorskip("distributed", reason="needs dask.distributed (pip install 'bpor-native[cluster]')")
    options = ("--bound", "preemption:2", "--no-known-steps")
    alone = run_inside(counter(4), (), [*options, "--state", "none"])
    run, opens, opened = remote.RemoteMember.run, remote.RemoteMember._open, set[str]()

    def note(member: remote.RemoteMember) -> None:
        opens(member)
        opened.update(member._places.values())

    with make_cluster() as cluster, distributed.Client(cluster, set_as_default=False) as client:
        site, first = Site(cluster, client), set(cluster.scheduler.workers)
        events: list[Callable[[str], None]] = [site.retire, site.add, site.lose, site.add, site.add, site.retire, site.lose]
        batches = itertools.count(1)

        def disturbed(member: remote.RemoteMember, plan: Plan) -> Trace:
            if plan.exploration is None or plan.exploration.executions == 0:
                return run(member, plan)
            place = member._places.get(member._opening.number)
            if next(batches) % 3 == 0 and events and place in site.workers():
                events.pop(0)(place)
            return run(member, replace(plan, exploration=replace(plan.exploration, executions=20)))

        monkeypatch.setattr(remote.RemoteMember, "run", disturbed)
        monkeypatch.setattr(remote.RemoteMember, "_open", note)
        there = on_cluster(counter(4), cluster.scheduler_address, *options)
    for one in members():  # of workers in this process, which goes on
        one.kill()
    assert there.exit_code == 0 and not events, there
    assert [there.report[name] for name in COUNTED] == [alone.report[name] for name in COUNTED]
    assert there.stderr.count("the search went on from what was last saved") >= 2, there
    assert opened > first, "those that joined late took part"
