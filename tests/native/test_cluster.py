"""A search on a cluster tells what one process tells, whatever happens to its workers. The cluster is dask's, in this process; its members
are processes."""

from __future__ import annotations

import asyncio
import contextlib
import os
import re
import shutil
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psutil
import pytest

from benchmarks.cluster_memory import kept
from bpor.cli.gate import searched_by_cluster
from bpor.cluster import connection, jury, recovering, remote
from bpor.cluster import members as cluster_members
from bpor.cluster.address import Address
from bpor.knobs import sizes
from bpor.settings import Settings
from bpor.store import checkpoints
from tests.native.compiled import PROGRAMS, compiled
from tests.native.tool import Run, command, environment, replay_inside, run_inside, run_words
from tests.patience import eventually

WORKERS = 2
KILLS = int(os.environ.get("BPOR_TEST_KILLS", "2"))


def make_cluster(workers: int = WORKERS) -> Any:
    distributed: Any = pytest.importorskip("distributed", reason="needs dask.distributed (pip install 'bpor-native[cluster]')")
    options = {"n_workers": workers, "threads_per_worker": 1, "processes": False, "dashboard_address": ":0"}
    return distributed.LocalCluster(**options, protocol="tcp", silence_logs=50)


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with make_cluster() as cluster:
        yield cluster.scheduler_address


@pytest.fixture(autouse=True)
def short_batches(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(jury, "SHARE", 10**9)  # nobody is repeated
    monkeypatch.setattr(remote, "_SLOWER", 1)
    monkeypatch.setattr(connection, "_CONNECT", 5.0)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))


def on_cluster(program: Path, address: str, *options: str, state: str = "none") -> Run:
    return run_inside(program, (), ["--cluster", address, "--insecure-cluster", "--state", state, *options])


def counter(threads: int) -> Path:
    return compiled(PROGRAMS / "correct" / "mutex" / "counter.c", [f"-DTHREADS={threads}"])


def members() -> list[psutil.Process]:
    return [one for one in psutil.Process().children(recursive=True) if is_member(one)]


def is_member(process: psutil.Process) -> bool:
    try:
        return "bpor.cluster.member" in " ".join(process.cmdline())
    except psutil.Error:
        return False  # it has just ended


@pytest.mark.parametrize("options", [("--bound", "preemption:2"), ("--bound", "preemption:2", "--no-known-steps")])
def test_counts_and_verdict_are_those_of_one_process(address: str, options: tuple[str, ...]) -> None:
    alone = run_inside(counter(3), (), [*options, "--state", "none"])
    there = on_cluster(counter(3), address, *options)
    assert there.exit_code == 0, there
    executed = ("executions", "steps") if "--no-known-steps" in options else ()  # whom a table spares depends on whose it is
    for name in ("distinct_traces", "local_states", "threads", *executed):
        assert there.report[name] == alone.report[name], name
    assert there.report["statement"] == alone.report["statement"]
    assert not members(), "what was started for a search ends with it"


def test_workers_are_all_seen_while_dask_looks_at_its_scheduler_too(address: str) -> None:
    """It does so every two seconds, for itself, without the workers."""
    there = connection.Connection(Address(address))

    async def look() -> None:
        while there.client.status == "running":
            await there.client._update_scheduler_info()

    looking = asyncio.run_coroutine_threadsafe(look(), there.client.loop.asyncio_loop)
    try:
        assert {len(there.places()) for _ in range(100)} == {WORKERS}
    finally:
        looking.cancel()
        there.close()


def test_a_bug_is_found_there_confirmed_here_and_replays(address: str) -> None:
    found = on_cluster(compiled(PROGRAMS / "buggy" / "deadlock" / "bank.c"), address, "--bound", "preemption:2")
    assert found.exit_code == 1, found
    (finding,) = found.report["findings"]
    assert "--cluster" not in finding["replay"]
    assert replay_inside(finding["replay"]).exit_code == 1


READS_A_FILE = """
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
static int x, n;
static void *add(void *all) { for (int i = 0; i < n; i++) x++; return all; }
int main(void)
{
    FILE *file = fopen("settings", "r");
    if (file && fscanf(file, "%d", &n) == 1)
        fclose(file);
    pthread_t one, other;
    pthread_create(&one, NULL, add, NULL);
    pthread_create(&other, NULL, add, NULL);
    pthread_join(one, NULL);
    pthread_join(other, NULL);
    assert(x == 2 * n);
}
"""


def test_a_program_that_does_not_find_its_file_there_does_not_pass(address: str, tmp_path: Path) -> None:
    (tmp_path / "reads.c").write_text(READS_A_FILE)
    (tmp_path / "settings").write_text("1")
    words = ("run", "--cluster", address, "--insecure-cluster", "--state", "none")
    without = run_words(tmp_path, *words, "--", str(compiled(tmp_path / "reads.c")))
    assert without.returncode == 4, without
    assert "the program asks for settings, which is another one there: --send-files settings" in without.stdout
    sent = run_words(tmp_path, *words, "--send-files", "settings", "--", str(compiled(tmp_path / "reads.c")))
    assert sent.returncode == 1 and "assertion" in sent.stdout, sent


FINDS_WHAT_IS_HERE = """
#include <assert.h>
#include <glob.h>
#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static int x, n;
static void *add(void *all) { for (int i = 0; i < n; i++) x++; return all; }
int main(int count, char **words)
{
    char beside[PATH_MAX];
    strcpy(beside, words[0]);
    strcpy(strrchr(beside, '/') + 1, "settings");
    glob_t found;
    n = HOW == 1 ? rmdir("left") == 0 : HOW == 2 ? glob("build/set*", 0, NULL, &found) == 0 : access(beside, R_OK) == 0;
    pthread_t one, other;
    pthread_create(&one, NULL, add, NULL);
    pthread_create(&other, NULL, add, NULL);
    pthread_join(one, NULL);
    pthread_join(other, NULL);
    assert(x == 2 * n);
    return count - 1;
}
"""


@pytest.mark.parametrize(("how", "name", "send"), [(0, "build/settings", ""), (1, "left", ""), (2, "build/set*", "build")])
def test_what_lies_beside_the_program_what_an_earlier_run_left_and_what_matches_is_compared(
    address: str, tmp_path: Path, how: int, name: str, send: str
) -> None:
    """Such programs passed: below the worker's directory neither name was there, nor below the client's working directory."""
    for directory in ("build", "left"):
        (tmp_path / directory).mkdir()
    (tmp_path / "build" / "settings").touch()
    (tmp_path / "finds.c").write_text(FINDS_WHAT_IS_HERE)
    shutil.copy(compiled(tmp_path / "finds.c", [f"-DHOW={how}"]), tmp_path / "build" / "finds")
    words = ("run", "--cluster", address, "--insecure-cluster", "--state", "none", "--fork-at", "first-thread")
    without = run_words(tmp_path, *words, "--", "build/finds")
    assert without.returncode == 4, without
    assert f"the program asks for {name}, which is another one there: --send-files {send or name}" in without.stdout
    sent = run_words(tmp_path, *words, "--send-files", send or name, "--", "build/finds")
    assert sent.returncode == 1 and "assertion" in sent.stdout, sent
    assert (tmp_path / "left").exists()


ASKS_ITS_MACHINE = """
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <sys/sysinfo.h>
#include <unistd.h>
static void *run(void *unused) { return unused; }
int main(void)
{
    cpu_set_t set;
    pthread_t one;
    pthread_create(&one, NULL, run, NULL);
    assert(sysconf(_SC_NPROCESSORS_ONLN) == 7 && get_nprocs() == 7);
    assert(sched_getaffinity(0, sizeof set, &set) == 0 && CPU_COUNT(&set) == 7);
    assert(open("/dev/null", O_RDONLY) >= 0);
    if (ASKS)
        assert(open("/proc/cpuinfo", O_RDONLY) >= 0);
    pthread_join(one, NULL);
}
"""


@pytest.mark.parametrize("asks", [0, 1])
def test_a_program_is_told_of_the_client_s_processors_and_what_is_not_compared_is_said(
    address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, asks: int
) -> None:
    """It may have as many threads, and a worker with one processor would pass it."""
    (tmp_path / "asks.c").write_text(ASKS_ITS_MACHINE)
    monkeypatch.setattr(cluster_members, "processors_here", lambda: 7)
    there = on_cluster(compiled(tmp_path / "asks.c", [f"-DASKS={asks}", "-D_GNU_SOURCE"]), address, "--bound", "none")
    assert there.exit_code == 0, there
    assert ("not all files that it asks for were compared with those of the workers" in there.report["statement"]) == bool(asks)


@pytest.mark.parametrize("known", [(), ("--no-known-steps",)])
def test_tables_that_are_full_lose_no_schedule_and_state_their_error(
    address: str, monkeypatch: pytest.MonkeyPatch, known: tuple[str, ...]
) -> None:
    """7,920 traces: a table has room for 3,072 hashes, those of members and that of the client; the table of known
    steps has 1,024. Without the option the program that is searched keeps 41 MB."""
    monkeypatch.setattr(sizes, "LEAST", 1 << 20)
    largest: list[int] = []

    def look(found: list[psutil.Process]) -> bool:
        for one in found:
            with contextlib.suppress(psutil.Error):
                begun = (child for child in one.children(recursive=True) if Path(child.exe()).name == counter(5).name)  # others still start
                largest.extend(map(kept, begun))
        return True

    options = ("--bound", "preemption:2", "--max-memory", "1M", "--max-steps", "100", *known)
    alone = run_inside(counter(5), (), [*options, "--state", "none"])
    with meanwhile(look):
        there = on_cluster(counter(5), address, *options)
    assert there.exit_code == alone.exit_code == 0, there
    for run in (alone, there):
        assert run.report["distinct_traces_estimated"] and 0 < run.report["distinct_traces_error"] < 0.1, run.report
        assert abs(run.report["distinct_traces"] - 7920) <= run.report["distinct_traces_error"] * 7920
        assert run.report["levels"][-1]["complete"] and run.report["executions"] >= 7920
    assert known == () or there.report["executions"] == alone.report["executions"]
    for name in ("distinct_traces", "distinct_traces_error", "local_states"):
        assert there.report[name] == alone.report[name], name
    assert max(largest) < 4 << 20


@contextmanager
def meanwhile(act: Callable[[list[psutil.Process]], bool]) -> Iterator[None]:
    """While the search runs, with its members as soon as there are some, until it returns False."""
    over = threading.Event()

    def look() -> None:
        while not over.wait(0.2):
            found = members()
            if found and not act(found):
                return

    thread = threading.Thread(target=look)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def test_a_member_that_is_killed_costs_nothing_but_time(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recovering, "INTERVAL", 0.0)
    killed: list[int] = []

    def kill(found: list[psutil.Process]) -> bool:
        killed.append(found[len(killed) % len(found)].pid)
        os.kill(killed[-1], signal.SIGKILL)
        return len(killed) < KILLS

    # A table of known steps is lost with the process that had it.
    search, traces = (["none"], 2520) if KILLS <= 2 else (["preemption:3", "--no-known-steps"], 30120)
    losses = 0
    while not killed or (KILLS > 2 and len(killed) < KILLS):
        with meanwhile(kill):
            there = on_cluster(counter(4 if KILLS <= 2 else 5), address, "--bound", *search)
        assert there.exit_code == 0, there
        assert there.report["distinct_traces"] == there.report["executions"] == traces
        losses += there.stderr.count("went on from what was last saved")
    print(f"{len(killed)} kills, {losses} losses")
    assert losses >= 1


def test_a_search_whose_scheduler_is_gone_is_resumed_without_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checkpoints.SqliteCheckpoints.__init__, "__defaults__", (0.0, time.monotonic))
    cluster, state = make_cluster(), str(tmp_path / "state")

    def end(found: list[psutil.Process]) -> bool:
        if not any(saved.stat().st_size for saved in Path(state).rglob("search.sqlite")):
            return True
        cluster.close()
        for one in found:  # its workers are in this process, which goes on; members end with the process of their worker
            one.kill()
        return False

    with meanwhile(end):
        cut = on_cluster(counter(5), cluster.scheduler_address, "--bound", "preemption:2", state=state)
    assert cut.exit_code == 4, cut
    assert "the cluster's scheduler is gone; --resume goes on with what was saved" in cut.stdout
    whole = run_inside(counter(5), (), ["--bound", "preemption:2", "--state", state, "--resume"])
    assert (whole.exit_code, whole.report["distinct_traces"]) == (0, 7920), whole
    assert "begins anew" not in whole.stderr, whole


def test_a_worker_that_tells_counts_that_cannot_be_is_not_believed(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    believe, lies = remote.RemoteMember._believe, iter([True])

    def lied_to(self: remote.RemoteMember, batch: Any) -> None:
        if next(lies, False):
            batch.total.ended.clear()
            object.__setattr__(batch.total, "executions", -1)
        believe(self, batch)

    monkeypatch.setattr(remote.RemoteMember, "_believe", lied_to)
    there = on_cluster(counter(3), address, "--bound", "none")
    assert (there.exit_code, there.report["distinct_traces"]) == (0, 90), there
    assert "counts that cannot be" in there.stderr


def test_a_signal_asks_how_far_each_worker_is_and_tasks_have_names(address: str, capfd: pytest.CaptureFixture[str]) -> None:
    asked: list[int] = []
    names: set[str] = set()
    distributed: Any = pytest.importorskip("distributed")

    def ask(found: list[psutil.Process]) -> bool:
        if len(found) < WORKERS:
            return True
        with distributed.Client(address, set_as_default=False) as client:
            names.update(client.run_on_scheduler(lambda dask_scheduler: [str(key) for key in dask_scheduler.tasks]))
        os.kill(os.getpid(), signal.SIGUSR1)
        asked.append(len(found))
        return False

    with meanwhile(ask):
        there = on_cluster(counter(6), address, "--bound", "preemption:2", "-q")
    assert there.exit_code == 0 and asked, there
    lines = capfd.readouterr().err + there.stderr
    assert (
        len(re.findall(r"^worker \S+: [\d,]+ executions?, [\d,]+/s, (?:searches since|waits for a part)", lines, re.MULTILINE)) == WORKERS
    )
    assert re.search(rf"^{WORKERS} workers: [\d,]+ executions, [\d,]+/s$", lines, re.MULTILINE)
    assert all(re.fullmatch(r"search counter-\d+ of \S+:\d+ [0-9a-f]{8}", name) for name in names) and len(names) == WORKERS


def test_two_clients_at_once_count_what_each_counts_alone_and_one_that_is_killed_disturbs_neither(address: str, tmp_path: Path) -> None:
    words = ("run", "--cluster", address, "--insecure-cluster", "--bound", "preemption:3", "--state", "none", "--", str(counter(6)))
    killed = subprocess.Popen(command(*words), cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment())
    try:
        eventually(members, "the client that will be killed searches")
        others: list[int] = []

        def kill(found: list[psutil.Process]) -> bool:
            if len(found) <= WORKERS + 1:  # the other two do not search yet
                return True
            others.append(len(found))
            killed.kill()
            return False

        argv, settings = (str(counter(3)),), Settings(bound="none", cluster=address, insecure_cluster=True)
        with ThreadPoolExecutor(1) as second, meanwhile(kill):
            beside = second.submit(searched_by_cluster, argv, settings)
            there = on_cluster(counter(5), address, "--bound", "none")  # long enough to be seen beside the others
            small = beside.result()
    finally:
        killed.kill()
        killed.wait()
    assert others, "nobody was disturbed"
    assert (there.exit_code, there.report["distinct_traces"], there.report["executions"]) == (0, 113400, 113400), there
    assert small.search is not None
    assert (small.exit_code, small.search.counts.distinct_traces, small.search.executions) == (0, 90, 90), small
    eventually(lambda: not members(), "what the killed client had started ends")


def test_a_suite_with_fewer_tests_than_workers_has_parts_of_a_test_searched_by_each(address: str, tmp_path: Path) -> None:
    shutil.copy(counter(5), tmp_path / "five")  # long enough for both to be seen at it
    (tmp_path / "bpor.toml").write_text('[[test]]\nprogram = "five"\nbound = "none"\n')
    most: list[int] = []

    def count(found: list[psutil.Process]) -> bool:
        most.append(len(found))
        return True

    with meanwhile(count):
        run = run_words(tmp_path, "suite", "--cluster", address, "--insecure-cluster", "--state", "none")
    assert run.returncode == 0 and "113400" in run.stdout, run
    assert max(most) == WORKERS


def test_what_a_cluster_cannot_search_is_said_before_it_is_asked() -> None:
    script = PROGRAMS.parent / "scripts" / "bpor-native"
    for program, options, words in [
        (script, [], "a script"),
        (Path("/bin/true"), ["--reset=exec"], "--reset=exec"),
        (Path("/bin/true"), ["-j", "2"], "-j"),
        (Path("/bin/true"), ["--search=best-first"], "--search best-first"),
        (Path("/bin/true"), ["--match=memory"], "--match=memory"),
    ]:
        run = run_inside(program, (), ["--cluster", "local:1", *options])
        assert run.exit_code == 2
        assert f"--cluster does not go with {words}" in run.stderr
    run = run_inside(Path("/bin/true"), (), ["--cluster", "local:1", "--outcomes"])
    assert run.exit_code == 2
    assert "--cluster: its workers search beside the program, and --outcomes looks at every execution" in run.stderr


def test_tls_without_certificates_is_said_in_one_line() -> None:
    pytest.importorskip("distributed", reason="needs dask.distributed (pip install 'bpor-native[cluster]')")
    run = run_inside(Path("/bin/true"), (), ["--cluster", "tls://127.0.0.1:9"])
    assert run.exit_code == 2
    assert "TLS needs certificates, and dask's configuration names none (distributed.comm.tls)" in run.stderr
