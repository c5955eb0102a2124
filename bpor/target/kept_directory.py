"""KeptDirectory: a directory that executions write to, put back after each of them.

Files are the one effect of a test that fork does not undo. Two states are kept: the first, which the runner left, and the one at the fork
point, to which what the test does before its threads belongs. Copies are made only of what is there: usually nothing.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path

_Signature = list[tuple[str, int, int, int]]


class KeptDirectory:
    def __init__(self, path: str, copies: Path) -> None:
        self._path, self._copies = path, copies
        self._first: _Signature | None = None
        self._now: _Signature | None = None

    def remember_first(self) -> None:
        """Before the test body runs; from the second time on it is put back to that."""
        if self._first is None:
            self._first = self._copy("first")
        else:
            self.restore_first()

    def remember(self) -> None:
        """At the fork point."""
        self._now = self._copy("now")

    def restore(self) -> None:
        if self._now is not None:
            self._put_back("now", self._now)

    def restore_first(self) -> None:
        if self._first is not None:
            self._put_back("first", self._first)

    def _copy(self, name: str) -> _Signature:
        shutil.rmtree(self._copies / name, ignore_errors=True)
        shutil.copytree(self._path, self._copies / name, symlinks=True)
        return _signature(self._path)

    def _put_back(self, name: str, signature: _Signature) -> None:
        """The directory itself stays: it may be somebody's working directory."""
        if _signature(self._path) == signature:
            return
        kept = self._copies / name
        with os.scandir(self._path) as entries:
            for entry in entries:
                if not _is_file(entry.path) or not _is_file(str(kept / entry.name)):
                    _remove(entry)
        shutil.copytree(kept, self._path, symlinks=True, dirs_exist_ok=True)


def _is_file(path: str) -> bool:
    """Such a one is written over, not made anew: somebody may have it open."""
    return os.path.isfile(path) and not os.path.islink(path)


def _remove(entry: os.DirEntry[str]) -> None:
    if entry.is_dir(follow_symlinks=False):
        shutil.rmtree(entry.path, ignore_errors=True)
    else:
        os.unlink(entry.path)


def _signature(path: str) -> _Signature:
    found = []
    for directory, names, files in os.walk(path):
        for name in (*names, *files):
            status = os.lstat(os.path.join(directory, name))
            content = (0, 0) if name in names else (status.st_size, status.st_mtime_ns)  # a directory's own change with what is in it
            found.append((os.path.join(directory, name), status.st_mode, *content))
    return sorted(found)
