"""Lending: the workers of one cluster, shared out among the tests of a suite.

A test gets as many as are free for each test that is still to begin: one while there are many tests, several when there are fewer tests
than workers, and then it is searched in parts. Invariant: a worker is lent to one test at a time.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from types import TracebackType

import bpor
from bpor.errors import UsageError
from bpor.lazy_dataclass import dataclass
from bpor.target.workspace import OwnDirectory


def with_package() -> dict[str, str]:
    """An environment in which another Python finds this package, wherever it is."""
    package = str(Path(bpor.__file__).parent.parent)
    return {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, (package, os.environ.get("PYTHONPATH", ""))))}


@dataclass(frozen=True, slots=True)
class Lent:
    """What the process of one test is told."""

    url: str
    places: tuple[str, ...]  # of workers, one for each of their threads
    certificates: tuple[str, str, str] | None  # files: of the authority, our own, its key; None: dask's configuration has them
    numbers: tuple[int, ...]  # of these places among all, from 1: a member keeps to the processor of its number


class Shares:
    def __init__(self, url: str, places: Iterable[str], certificates: tuple[str, str, str] | None = None) -> None:
        self._url, self._free, self._certificates = url, list(enumerate(places, 1)), certificates
        self._lent: dict[str, Lent] = {}
        self.size = len(self._free)

    def lend(self, name: str, waiting: int) -> None:
        """To a test that begins; `waiting`: how many are still to begin, it among them."""
        count = max(len(self._free) // waiting, 1)
        taken, self._free = self._free[:count], self._free[count:]
        self._lent[name] = Lent(self._url, tuple(place for _, place in taken), self._certificates, tuple(number for number, _ in taken))

    def take_back(self, name: str) -> None:
        lent = self._lent.pop(name)
        self._free += zip(lent.numbers, lent.places, strict=True)

    def lent_to(self, name: str) -> Lent:
        return self._lent[name]


class Lending:
    """Context manager: the shares of a cluster that another process holds (serve.py)."""

    def __init__(self, address: str, insecure: bool) -> None:
        """Raises UsageError."""
        self._directory = OwnDirectory("bpor-cluster-")
        serve = [sys.executable, "-P", "-c", "from bpor.cluster.serve import main; main()"]
        words = [*serve, address, str(int(insecure)), str(self._directory.path)]
        self._server = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=with_package())
        assert self._server.stdout is not None
        told = json.loads(self._server.stdout.readline() or '{"error": "--cluster: no connection could be made"}')
        if "error" in told or not told["places"]:
            self.close()
            raise UsageError(told.get("error") or f"--cluster {address}: it has no workers")
        files = told["certificates"]
        self.shares = Shares(told["url"], told["places"], None if files is None else (files[0], files[1], files[2]))

    def close(self) -> None:
        assert self._server.stdin is not None and self._server.stdout is not None
        self._server.stdin.close()
        self._server.wait()
        self._server.stdout.close()
        self._directory.remove()

    def __enter__(self) -> Lending:
        return self

    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None, traceback: TracebackType | None) -> None:
        self.close()
