"""Changes: what an execution changed outside its TMPDIR, put back (csrc/reset/changes.c put it aside and wrote the journal).

Invariant: names are put back in the reverse order of their change, so that each leads again to what it led to before the execution; files
that are still the same are written over, because somebody may have them open.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import stat
from collections.abc import Iterator
from pathlib import Path

from bpor.errors import Uncontrolled
from bpor.lazy_dataclass import dataclass

_FIELDS = 7


@dataclass(frozen=True, slots=True)
class _Change:
    kind: str  # n: was not there; f: file; d: directory; l: symbolic link; m: a directory that moved
    copy: str
    mode: int
    time: int
    inode: int
    path: str
    more: str  # its owner; where a link leads, where a directory went


class Changes:
    def __init__(self, directory: Path) -> None:
        self._directory = directory
        directory.mkdir()

    @property
    def any(self) -> bool:
        return bool(os.listdir(self._directory))

    def put_back(self) -> None:
        if not self.any:
            return
        for change in reversed(list(self._read())):
            try:
                self._undo(change)
            except OSError as error:
                raise Uncontrolled(f"{change.path} was changed by an execution and cannot be put back: {error.strerror}") from None
        for name in os.listdir(self._directory):
            os.unlink(self._directory / name)

    def _read(self) -> Iterator[_Change]:
        with contextlib.suppress(FileNotFoundError):  # killed between the first copy and its record: nothing was changed yet
            texts = [os.fsdecode(text) for text in (self._directory / "journal").read_bytes().split(b"\0")]
            for at in range(0, len(texts) - _FIELDS + 1, _FIELDS):
                kind, copy, mode, time, inode, path, more = texts[at : at + _FIELDS]
                yield _Change(kind, copy, int(mode), int(time), int(inode), path, more)

    def _undo(self, change: _Change) -> None:
        match change.kind:
            case "n":
                _remove(change.path)
            case "f":
                self._write(change)
            case "d":
                os.makedirs(change.path, exist_ok=True)
                _restore_facts(change)
            case "l":
                if not os.path.islink(change.path) or os.readlink(change.path) != change.more:
                    _remove(change.path)
                    os.symlink(change.more, change.path)
                    os.utime(change.path, ns=(change.time, change.time), follow_symlinks=False)
            case "m":
                if os.path.lexists(change.more) and not os.path.lexists(change.path):
                    os.rename(change.more, change.path)

    def _write(self, change: _Change) -> None:
        copy = self._directory / change.copy
        if not _is_still(change):
            _remove(change.path)
        if not _is_still(change) or _contents(change.path) != copy.read_bytes():
            with open(change.path, "wb") as file:
                file.write(copy.read_bytes())
        _restore_facts(change)
        if os.stat(change.path).st_mtime_ns != change.time:
            with contextlib.suppress(PermissionError):  # of somebody else's file that we may write
                os.utime(change.path, ns=(change.time, change.time))


def _restore_facts(change: _Change) -> None:
    now = os.stat(change.path)
    if f"{now.st_uid}:{now.st_gid}" != change.more:
        os.chown(change.path, *map(int, change.more.split(":")))
    if now.st_mode != change.mode:
        os.chmod(change.path, stat.S_IMODE(change.mode))


def _is_still(change: _Change) -> bool:
    with contextlib.suppress(FileNotFoundError):
        return os.stat(change.path).st_ino == change.inode
    return False


def _contents(path: str) -> bytes:
    with open(path, "rb") as file:
        return file.read()


def _remove(path: str) -> None:
    if os.path.isdir(path) and not os.path.islink(path):
        shutil.rmtree(path)
    elif os.path.lexists(path):
        os.unlink(path)
