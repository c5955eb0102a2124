"""The network is cut, disks are full, a member is slow or stands still: a search on a cluster counts what one process counts."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest

from bpor.cluster import connection, jury, remote, store
from bpor.lazy_dataclass import replace
from bpor.model.plan import Plan
from bpor.model.trace import Trace
from tests.native.test_cluster import counter, make_cluster, meanwhile, on_cluster
from tests.patience import eventually

HERE, THERE, NAMESPACE = "10.213.97.1", "10.213.97.2", f"bpor{os.getpid() % 100000}"
INSIDE, OUTSIDE = f"bi{os.getpid() % 100000}", f"bo{os.getpid() % 100000}"


@pytest.fixture(autouse=True)
def little_patience(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(jury, "SHARE", 10**9)  # nobody is repeated
    monkeypatch.setattr(remote, "_SLOWER", 1)
    monkeypatch.setattr(remote, "_PATIENCE", 2.0)
    monkeypatch.setattr(connection, "_CONNECT", 5.0)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))


def system(*words: str) -> bool:
    return subprocess.run(words, capture_output=True).returncode == 0


# ---- the network ----


def test_whoever_listens_and_is_no_scheduler_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("distributed", reason="needs dask.distributed (pip install 'bpor-native[cluster]')")
    monkeypatch.setattr(connection, "_CONNECT", 0.5)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        there = on_cluster(counter(2), f"tcp://127.0.0.1:{silent.getsockname()[1]}")
    assert there.exit_code == 2
    assert "cannot connect: whoever listens there does not answer as a scheduler of dask's does" in there.stderr


@pytest.fixture
def wire() -> Iterator[None]:
    """Two ends of a cable, one of them in a network of its own."""
    made = [
        ("ip", "netns", "add", NAMESPACE),
        ("ip", "link", "add", OUTSIDE, "type", "veth", "peer", "name", INSIDE, "netns", NAMESPACE),
        ("ip", "addr", "add", f"{HERE}/24", "dev", OUTSIDE),
        ("ip", "link", "set", OUTSIDE, "up"),
        ("ip", "-n", NAMESPACE, "addr", "add", f"{THERE}/24", "dev", INSIDE),
        ("ip", "-n", NAMESPACE, "link", "set", INSIDE, "up"),
        ("ip", "-n", NAMESPACE, "link", "set", "lo", "up"),
    ]
    try:
        if os.getuid() != 0 or not all(system(*words) for words in made):
            pytest.skip("needs root, iproute2 and network namespaces")
        yield
    finally:
        system("ip", "link", "del", OUTSIDE)
        system("ip", "netns", "del", NAMESPACE)


@contextlib.contextmanager
def two_ends() -> Iterator[str]:
    """A scheduler and a worker at one end, in this process, and a worker at the other."""
    distributed: Any = pytest.importorskip("distributed", reason="needs dask.distributed (pip install 'bpor-native[cluster]')")
    options = {"n_workers": 1, "threads_per_worker": 1, "processes": False, "dashboard_address": ":0", "silence_logs": 50}
    with distributed.LocalCluster(**options, host=HERE, protocol="tcp") as cluster:
        words = ["ip", "netns", "exec", NAMESPACE, sys.executable, "-m", "distributed.cli.dask_worker", cluster.scheduler_address]
        words += ["--nthreads", "1", "--no-nanny", "--no-dashboard", "--host", THERE]
        far = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            eventually(lambda: len(cluster.scheduler.workers) == 2, "the worker behind the cable joins")
            yield cluster.scheduler_address
        finally:
            far.kill()
            far.wait()


def test_a_network_that_is_cut_costs_nothing_but_time(wire: None) -> None:
    cut: list[bool] = []

    def cut_it(found: list[psutil.Process]) -> bool:
        if len(found) < 2:  # both search
            return True
        cut.append(system("ip", "link", "set", OUTSIDE, "down"))
        return False

    with two_ends() as address, meanwhile(cut_it):
        there = on_cluster(counter(5), address, "--bound", "preemption:2", "--watchdog", "1s")
    assert there.exit_code == 0 and cut == [True], there
    assert there.report["distinct_traces"] == 7920
    assert f"the worker at tcp://{THERE}" in there.stderr, there


def test_a_network_of_a_megabit_loses_nobody(wire: None, monkeypatch: pytest.MonkeyPatch) -> None:
    opens, opened = remote.RemoteMember._open, set[str]()

    def note(member: remote.RemoteMember) -> None:
        opens(member)
        opened.update(member._places.values())

    monkeypatch.setattr(remote.RemoteMember, "_open", note)
    limited = ("tbf", "rate", "1mbit", "burst", "32kbit", "latency", "2s")
    with two_ends() as address:
        if not system("tc", "qdisc", "add", "dev", OUTSIDE, "root", *limited):
            pytest.skip("needs tc and a kernel with its token buckets")
        if not system("ip", "netns", "exec", NAMESPACE, "tc", "qdisc", "add", "dev", INSIDE, "root", *limited):
            pytest.skip("needs tc in a network namespace")
        there = on_cluster(counter(5), address, "--bound", "preemption:2", "--no-known-steps")
    assert (there.exit_code, there.report["executions"], there.report["distinct_traces"]) == (0, 7920, 7920), there
    assert "lost" not in there.stderr and any(THERE in place for place in opened), (there, opened)


# ---- a member that stands still ----


def test_a_member_that_stands_still_does_not_hold_up_the_end() -> None:
    stopped: list[psutil.Process] = []

    def stop(found: list[psutil.Process]) -> bool:
        found[0].send_signal(signal.SIGSTOP)
        stopped.append(found[0])
        return False

    with make_cluster() as cluster:
        with meanwhile(stop):
            there = on_cluster(counter(5), cluster.scheduler_address, "--bound", "preemption:2", "--watchdog", "1s")
        assert (there.exit_code, there.report["distinct_traces"]) == (0, 7920), there
        assert stopped and "was lost (TimeoutError" in there.stderr, there
        with contextlib.suppress(psutil.NoSuchProcess):  # its host may have ended it
            stopped[0].kill()


def test_what_a_slow_member_was_given_is_searched_by_others(monkeypatch: pytest.MonkeyPatch) -> None:
    """One execution of its in a fifth of a second: 2,520 of them would take minutes, or half of them."""
    run, slow = remote.RemoteMember.run, []

    def run_slowly(self: remote.RemoteMember, plan: Plan) -> Trace:
        if self._opening.number != 1 or plan.exploration is None:
            return run(self, plan)
        trace = run(self, replace(plan, exploration=replace(plan.exploration, executions=1)))
        slow.append(trace)
        time.sleep(0.2)
        return trace

    monkeypatch.setattr(remote.RemoteMember, "run", run_slowly)
    with make_cluster() as cluster:
        there = on_cluster(counter(4), cluster.scheduler_address, "--bound", "none")
    assert (there.exit_code, there.report["distinct_traces"]) == (0, 2520), there
    assert 1 < len(slow) < 600, "it had parts, and most of them were taken from it"


# ---- the disk ----


@pytest.fixture
def small_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    disk = tmp_path / "disk"
    disk.mkdir()
    if os.getuid() != 0 or not system("mount", "-t", "tmpfs", "-o", "size=16k", "tmpfs", str(disk)):
        pytest.skip("needs root, to mount a small disk")
    try:
        yield disk
    finally:
        system("umount", str(disk))


def test_workers_whose_disks_are_full_are_named_and_those_that_recover_are_used(small_disk: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(small_disk))
    monkeypatch.setattr(remote, "MOST_LOSSES", 3)
    with make_cluster() as cluster:
        full = on_cluster(counter(3), cluster.scheduler_address, "--bound", "none")
        assert full.exit_code == 4 and "No space left on device" in full.stdout, full
        assert not [path for path in small_disk.rglob("*") if path.is_file()], "what could not be written whole is not left behind"
        add, tries = store.Store.add, []

        def with_room_later(self: store.Store, content: bytes, hash: str) -> None:
            tries.append(hash)
            try:
                add(self, content, hash)
            finally:
                system("mount", "-o", "remount,size=64m", str(small_disk))

        monkeypatch.setattr(store.Store, "add", with_room_later)
        there = on_cluster(counter(3), cluster.scheduler_address, "--bound", "none")
    assert (there.exit_code, there.report["distinct_traces"]) == (0, 90), there
    assert len(tries) >= 2 and "No space left on device" in there.stderr, there


def test_a_client_whose_disk_is_full_goes_on_and_says_that_nothing_is_saved(small_disk: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from bpor.store import checkpoints

    monkeypatch.setattr(checkpoints, "INTERVAL", 0.0)
    monkeypatch.setattr(checkpoints.SqliteCheckpoints.__init__, "__defaults__", (0.0, lambda: 0.0))
    with make_cluster() as cluster:
        there = on_cluster(counter(4), cluster.scheduler_address, "--bound", "none", state=str(small_disk / "state"))
    assert (there.exit_code, there.report["distinct_traces"]) == (0, 2520), there
    assert "can no longer be saved for --resume: database or disk is full" in there.stderr, there
