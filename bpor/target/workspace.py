"""Workspace: a private directory for one controller: the target's TMPDIR, and paths that LD_PRELOAD can bear.

Invariant: gone when the controller is; one that was killed leaves it to the next, which sees that nobody holds its lock.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import re
import shutil
import tempfile
from pathlib import Path

from bpor.errors import InternalError, UsageError
from bpor.native_parts import NATIVE
from bpor.target.changes import Changes

_PRELOADED = ("libbpor.so", "alias/libtsan.so.2", "alias/libtsan.so.0")
_PREFIX = "bpor-native-"


def bearable(native: Path) -> bool:
    """Can LD_PRELOAD, a list without quotes, name what lies there?"""
    return not set(" :;\t\n") & set(str(native))


def preload_of(native: Path) -> str:
    """Our library, and the empty ones that keep the real libtsan away from modules that ask for it by name."""
    paths = [native / name for name in _PRELOADED]
    if missing := [path for path in paths if not path.exists()]:
        raise InternalError(f"{missing[0]} is missing: the package was not built")
    return ":".join(map(str, paths))


def users_preload(text: str) -> str:
    """An LD_PRELOAD without what is ours."""
    return ":".join(path for path in re.split("[ :]+", text) if not path.endswith(tuple(f"/{name}" for name in _PRELOADED)))


def _hold(lock: Path) -> int | None:
    """A descriptor that holds a lock file for as long as it is open; None: another process does."""
    fd = os.open(lock, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(fd)
        return None
    return fd


def _lock(directory: Path) -> int | None:
    """Under its name the lock is held from the first moment: nobody may take us for abandoned in between."""
    new = directory / ".lock.new"
    fd = _hold(new)
    new.rename(directory / ".lock")
    return fd


def _remove_abandoned(prefix: str) -> None:
    for lock in Path(tempfile.gettempdir()).glob(f"{prefix}*/.lock"):
        with contextlib.suppress(OSError):
            if (fd := _hold(lock)) is not None:
                shutil.rmtree(lock.parent, ignore_errors=True)
                os.close(fd)


class OwnDirectory:
    """Below the directory for temporary files. If whoever made it is killed, the next one of its kind removes it."""

    def __init__(self, prefix: str) -> None:
        _remove_abandoned(prefix)
        self.path = Path(tempfile.mkdtemp(prefix=prefix))
        self._lock = _lock(self.path)

    def remove(self) -> None:
        shutil.rmtree(self.path, ignore_errors=True)
        lock, self._lock = self._lock, None
        if lock is not None:
            os.close(lock)


class Workspace:
    def __init__(self) -> None:
        if not os.path.exists("/proc/self/maps"):
            raise UsageError(
                "/proc is not mounted, and neither side can see what the program is made of without it; mount -t proc proc /proc"
            )
        self._directory = OwnDirectory(_PREFIX)
        self.root = self._directory.path
        self.temporary = self.root / "tmp"
        self.temporary.mkdir()
        self.changes = Changes(self.root / "changes")  # by the last execution
        self._before = Changes(self.root / "before")  # by the target, on its way to the fork point

    def preload(self) -> str:
        if bearable(NATIVE):
            return preload_of(NATIVE)
        native = self.root / "native"
        if not native.exists():
            native.symlink_to(NATIVE)
        return preload_of(native)

    def left_behind(self) -> list[str]:
        """Names of what an execution left in its TMPDIR; removed. What it changed elsewhere is as it was."""
        self.changes.put_back()
        names = os.listdir(self.temporary)
        if names:
            shutil.rmtree(self.temporary, ignore_errors=True)
            self.temporary.mkdir(exist_ok=True)
        return names

    def target_gone(self) -> None:
        """What it changed, and what an execution changed that was killed with it, is as it was."""
        self.changes.put_back()
        self._before.put_back()

    def close(self) -> None:
        self.target_gone()
        self._directory.remove()
