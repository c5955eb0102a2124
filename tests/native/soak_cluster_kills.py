"""`python -m tests.native.soak_cluster_kills KILLS [SEED]`: a search on a cluster of processes, of which workers, the scheduler and the
client are killed, one after the other, and the client is interrupted; whoever is gone is started again, the client with --resume, now and
then without the cluster. Workers retire, join late, and are killed under their nanny, which starts them again. It has to end with the
counts and the words of a search that nobody disturbed.

Prints what differs, and exits 1 if anything does.
"""

from __future__ import annotations

import collections
import contextlib
import json
import random
import signal
import socket
import subprocess
import sys
import tempfile
import time
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import psutil

from tests.native.test_cluster import WORKERS, counter
from tests.native.tool import command, environment, run_tool

SEARCH = ("--bound", "preemption:3", "--no-known-steps")
COUNTED = ("verdict", "statement", "executions", "distinct_traces", "local_states", "steps", "threads", "levels")
LONGEST = 900.0  # seconds without an end: a hang
LONGEST_GOODBYE = 60.0  # seconds


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


class Site:
    """A scheduler and its workers, each a process."""

    def __init__(self) -> None:
        self.address = ""
        self.scheduler: subprocess.Popen[bytes] | None = None
        self.workers: list[subprocess.Popen[bytes]] = []

    def begin(self) -> None:
        port = free_port()
        self.address = f"tcp://127.0.0.1:{port}"
        self.scheduler = _started("distributed.cli.dask_scheduler", "--host", "127.0.0.1", "--port", str(port), "--no-dashboard")
        self.workers = [self._worker(number) for number in range(WORKERS)]

    def _worker(self, number: int) -> subprocess.Popen[bytes]:
        """The first one has a nanny."""
        words = ("--nthreads", "1", "--no-dashboard", "--host", "127.0.0.1", "--no-nanny" if number else "--nanny")
        return _started("distributed.cli.dask_worker", self.address, *words)

    def kill_worker(self, number: int) -> None:
        _kill(self.workers[number])
        self.workers[number] = self._worker(number)

    def retire_worker(self, number: int) -> None:
        """It says goodbye, and another one joins late."""
        self.workers[number].terminate()
        try:
            self.workers[number].wait(LONGEST_GOODBYE)
        finally:
            self.kill_worker(number)

    def kill_below_nanny(self) -> None:
        for one in psutil.Process(self.workers[0].pid).children():
            with contextlib.suppress(psutil.Error):
                one.kill()

    def join(self) -> None:
        """One more than there were when the search began."""
        self.workers.append(self._worker(len(self.workers)))

    def end(self) -> None:
        for one in (self.scheduler, *self.workers):
            if one is not None:
                _kill(one)


def _started(module: str, *words: str) -> subprocess.Popen[bytes]:
    line = [sys.executable, "-m", module, *words]
    return subprocess.Popen(line, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment())


def _kill(process: subprocess.Popen[bytes]) -> None:
    process.kill()
    process.wait()


class Disturbed:
    """One search, from its beginning to its end, and who was killed meanwhile."""

    def __init__(self, draw: random.Random, site: Site, directory: Path) -> None:
        self._draw, self._site, self._directory = draw, site, directory
        self.killed: collections.Counter[str] = collections.Counter()
        self._interrupted = 0  # the process of a client

    def run(self, kills: int) -> dict[str, Any]:
        until, client = time.monotonic() + LONGEST, self._client()
        try:
            while time.monotonic() < until:
                try:
                    code = client.wait(self._draw.uniform(0.5, 5.0))
                except subprocess.TimeoutExpired:
                    if self.killed.total() < kills:
                        self._kill_somebody(client)
                    continue
                if code == 0:
                    return dict(json.loads((self._directory / "report.json").read_text()))
                early = code == -signal.SIGINT and client.pid == self._interrupted  # before Python had read a line of ours
                # The scheduler, or the client, is gone; there is no scheduler yet; or it was interrupted.
                if code not in (4, -9, 2, 3) and not early:
                    return {"verdict": f"exit code {code}", "statement": (self._directory / "said").read_text()}
                client = self._client()
            return {"verdict": f"it did not end in {LONGEST} s"}
        finally:
            _kill(client)

    def _kill_somebody(self, client: subprocess.Popen[bytes]) -> None:
        who = self._draw.choices(
            ("worker", "retired", "below a nanny", "joined", "client", "scheduler", "interrupt"), (6, 3, 3, 1, 2, 1, 2)
        )[0]
        self.killed[who] += 1
        number = self._draw.randrange(len(self._site.workers))
        if who == "worker":
            self._site.kill_worker(number)
        elif who == "retired":
            self._site.retire_worker(number)
        elif who == "below a nanny":
            self._site.kill_below_nanny()
        elif who == "joined":
            self._site.join()
        elif who == "client":
            client.kill()
        elif who == "interrupt":
            client.send_signal(signal.SIGINT)
            self._interrupted = client.pid
        else:
            self._site.end()
            self._site.begin()

    def _client(self) -> subprocess.Popen[bytes]:
        cluster = ["--cluster", self._site.address, "--insecure-cluster"] if self._draw.random() < 0.75 else []
        words = ["run", *cluster, *SEARCH, "--state", str(self._directory / "state"), "--resume"]
        words += ["-q", "--max-time", f"{LONGEST:.0f}s", "--json", str(self._directory / "report.json"), "--", str(counter(5))]
        with (self._directory / "said").open("ab") as output:
            return subprocess.Popen(command(*words), cwd=self._directory, stdout=output, stderr=output, env=environment())


def main(kills: int, seed: int) -> int:
    if find_spec("distributed") is None:
        print("nobody is killed: needs dask.distributed (pip install 'bpor-native[cluster]')")
        return 0
    draw, site, killed = random.Random(seed), Site(), collections.Counter[str]()
    alone = run_tool(counter(5), (), [*SEARCH, "--state", "none"]).report
    searches, found = 0, []
    site.begin()
    try:
        while killed.total() < kills:
            with tempfile.TemporaryDirectory() as directory:
                disturbed = Disturbed(draw, site, Path(directory))
                there = disturbed.run(kills - killed.total())
                found += [f"{name}: {alone[name]} alone, {there.get(name)} there" for name in COUNTED if alone[name] != there.get(name)]
            killed += disturbed.killed
            searches += 1
    finally:
        site.end()
    print(f"seed {seed}: {searches} searches, {killed.total()} kills ({dict(killed)}); {len(found)} differences", *found, sep="\n")
    return bool(found)


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else int(time.time())))
