"""System V shared memory outlives its process: what a target made before its fork point goes when the target does."""

from __future__ import annotations

from pathlib import Path

_TABLE = Path("/proc/sysvipc/shm")
_IDENTITY, _MAKER, _CHANGED = 1, 4, 13  # columns
_IPC_RMID = 0
_ALLOWANCE = 2  # seconds between the clock that is read here and the kernel's


def remove_segments(maker: int, since: float) -> None:
    """Those that this process made, and not an earlier one of the same number."""
    for identity in _made_by(maker, since):
        import ctypes

        ctypes.CDLL(None).shmctl(identity, _IPC_RMID, None)


def _made_by(maker: int, since: float) -> list[int]:
    try:
        rows = [line.split() for line in _TABLE.read_text().splitlines()[1:]]
    except OSError:  # a kernel without any
        return []
    return [int(row[_IDENTITY]) for row in rows if int(row[_MAKER]) == maker and int(row[_CHANGED]) >= since - _ALLOWANCE]
