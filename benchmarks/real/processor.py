"""A command that is given so many seconds of a processor, with all its processes."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from pathlib import Path
from typing import Any

_TICKS = os.sysconf("SC_CLK_TCK")
_PATIENCE = 120.0  # seconds of the clock to end in, once interrupted


def spend(command: list[str], seconds: float, **options: Any) -> float:
    """Runs it, interrupts it (as Ctrl-C does) when the seconds are used up, and returns how many it had."""
    process = subprocess.Popen(command, start_new_session=True, preexec_fn=_mind_interrupts, **options)
    used, patience = 0.0, None
    while process.poll() is None:
        used = max(used, _used(process.pid))
        if patience is None and used >= seconds:
            process.send_signal(signal.SIGINT)
            patience = time.monotonic() + _PATIENCE
        elif patience is not None and time.monotonic() > patience:
            process.kill()
        time.sleep(0.5)
    return used


def _mind_interrupts() -> None:
    """A shell starts what it runs in the background without them."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def _used(root: int) -> float:
    """By the process, by its descendants that live, and by those that it has waited for."""
    parents, times = {}, {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = path.read_text(errors="replace").rpartition(")")[2].split()
        except OSError:  # it has ended meanwhile
            continue
        pid = int(path.parent.name)
        parents[pid], times[pid] = int(fields[1]), sum(map(int, fields[11:15]))
    return sum(count for pid, count in times.items() if _descends(pid, root, parents)) / _TICKS


def _descends(pid: int, root: int, parents: dict[int, int]) -> bool:
    while pid not in (root, 0):
        pid = parents.get(pid, 0)
    return pid == root
