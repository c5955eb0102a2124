"""What a copy of this process answers: run something in a fork, and be told its result as a pickle.

Whether a copy waits for ever is told by what it does, never by the time that it takes: on a busy machine everything takes long.
"""

from __future__ import annotations

import contextlib
import os
import pickle
import select
import signal
import traceback
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

T = TypeVar("T")

_SECONDS = 5.0  # of sleep, or of computing: who needs more waits for something that does not come
_GLANCE = 0.1
_TICKS = os.sysconf("SC_CLK_TCK")
_ASLEEP = "S"  # of the kernel's states of a task; one that is stopped, or waits for a processor or a disk, has another


class Problem(RuntimeError):
    """The copy could not answer, and said why."""


def answer_of(act: Callable[[], T]) -> T:
    """Does as much work here, however long the copy takes and in how many parts its answer comes: blocks of memory are named by their
    number (csrc/memory/heap.c)."""
    file = os.memfd_create("answer")
    pid = _fork()
    if pid == 0:
        _tell(act, file)
    status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    data = os.pread(file, os.fstat(file).st_size, 0)
    os.close(file)
    answer: T = _understood(data, status)
    return answer


def answer_unless_it_waits(act: Callable[[], T]) -> T | None:
    reading, writing = os.pipe()
    pid = _fork()
    if pid == 0:
        _tell(act, writing)
    os.close(writing)
    data = _read(reading, pid)
    if data is None:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    os.close(reading)
    status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    answer: T | None = None if data is None else _understood(data, status)
    return answer


def _tell(act: Callable[[], Any], fd: int) -> None:
    try:
        answer = pickle.dumps((act(), ""))
    except Problem as problem:
        answer = pickle.dumps((None, str(problem)))
    except BaseException:
        text = "a serial order of the operations cannot tell its results (they must be values that pickle):\n"
        answer = pickle.dumps((None, text + traceback.format_exc()))
    with open(fd, "wb", closefd=False) as file:
        file.write(answer)
    os._exit(0)


def _understood(data: bytes, status: int) -> Any:
    if status or not data:
        raise Problem(f"a serial order of the operations, without any threads, ended with status {status}")
    answer, problem = pickle.loads(data)
    if problem:
        raise Problem(problem)
    return answer


def _fork() -> int:
    """Without the warning that Python gives, from 3.12 on, where other threads live, such as a test runner's: the copy may wait for a lock
    that one of them held. Such a copy is known like any that waits, and killed."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*use of fork", category=DeprecationWarning)
        return os.fork()


def _read(fd: int, pid: int) -> bytes | None:
    """None: it waits for ever."""
    data, slept, before = b"", 0.0, 0
    while True:
        if not select.select([fd], [], [], _GLANCE)[0]:
            sleeps, ticks = _effort(pid)
            slept = slept + _GLANCE if sleeps and ticks == before else 0.0
            before = ticks
            if slept > _SECONDS or ticks > _SECONDS * _TICKS:
                return None
            continue
        more = os.read(fd, 1 << 16)
        if not more:
            return data
        data += more


def _effort(pid: int) -> tuple[bool, int]:
    """Do all threads of the process sleep, and how long did they compute, in ticks?"""
    sleeps, ticks = True, 0
    for task in Path(f"/proc/{pid}/task").iterdir():
        with contextlib.suppress(OSError):  # it has just ended
            fields = (task / "stat").read_text().rpartition(")")[2].split()
            sleeps &= fields[0] == _ASLEEP
            ticks += int(fields[11]) + int(fields[12])
    return sleeps, ticks
