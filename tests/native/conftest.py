"""Fixtures of the native tests: programs of native_tests/ by name, compiled; and a guard that no test leaves a process behind."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest

from tests.native.compiled import PROGRAMS, compiled
from tests.patience import PATIENCE

GRACE = PATIENCE / 10  # that an orphan has to see that its parent is gone


@pytest.fixture
def program() -> Callable[..., Path]:
    """`program("buggy/deadlock/bank.c", "-DN=2")`: the executable."""
    return lambda name, *flags: compiled(PROGRAMS / name, flags)


def survivors(processes: list[psutil.Process], grace: float = GRACE) -> list[psutil.Process]:
    """Those that still live after the grace period."""
    deadline = time.monotonic() + grace
    while (alive := [one for one in processes if is_alive(one)]) and time.monotonic() < deadline:
        time.sleep(0.02)
    return alive


def is_alive(process: psutil.Process) -> bool:
    try:
        return bool(process.is_running() and process.status() != psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return False


def descendants() -> list[psutil.Process]:
    """To find them psutil looks at every process of the machine, twice for each of thousands of tests: mostly there are none."""
    children = [Path(f"/proc/self/task/{thread}/children") for thread in os.listdir("/proc/self/task")]
    if all(one.exists() and not one.read_text() for one in children):
        return []
    return psutil.Process().children(recursive=True)


def begun_since(before: set[psutil.Process]) -> list[psutil.Process]:
    """Without those that belong to an older one: the browser of a whole module starts processes when it likes."""
    return [one for one in descendants() if before.isdisjoint((one, *ancestors(one)))]


def ancestors(process: psutil.Process) -> list[psutil.Process]:
    try:
        return list(process.parents())
    except psutil.NoSuchProcess:
        return []


@pytest.fixture(autouse=True)
def nothing_is_left_running() -> Iterator[None]:
    before = set(descendants())
    yield
    assert survivors(begun_since(before)) == []
