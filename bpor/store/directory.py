"""`.bpor/`: one private directory beside the tests, one sub-directory per test (a program with its arguments).

Invariant: only `replay last` runs what a file here names, so the directory must be our own: owned by us, closed to others, and made here.
A mark inside holds the directory's own inode: one that came with an archive, a checkout or a copy has another and is not trusted.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import stat
from collections.abc import Sequence
from pathlib import Path

from bpor.errors import UsageError
from bpor.store.place import Place

_MARK = "made-here.json"
_LAST = "last"
SEARCH = "search.sqlite"
_NAME = re.compile(r"[A-Za-z0-9._+-]{1,64}-[0-9a-f]{8}")


def test_name(argv: Sequence[str], process: int = 0, place: Place | None = None) -> str:
    """`bank-1f00ab12`: readable, and one per program with its arguments, per process of it that is a test of its own, and per place
    if that is not where the directory is."""
    base = re.sub(r"[^A-Za-z0-9._+-]", "_", os.path.basename(argv[0]))[:64] or "test"
    words = json.dumps([*argv, *([process] if process else []), *([place.directory, place.environment] if place is not None else [])])
    return f"{base}-{hashlib.sha256(words.encode('utf-8', 'surrogateescape')).hexdigest()[:8]}"


class StateDirectory:
    """Raises OSError where the disk says no; UsageError where the directory is not ours."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)

    def exists(self) -> bool:
        return self.path.is_dir()

    def create(self) -> None:
        """Made elsewhere and renamed, so that it never lacks its mark; another run may have been faster."""
        if not self.path.is_dir():
            new = self.path.with_name(f"{self.path.name}.{os.getpid()}.new")
            new.mkdir(mode=0o700)
            write_private(new / _MARK, json.dumps(_identity(new)))
            write_private(new / ".gitignore", "*\n")
            try:
                new.rename(self.path)
            except OSError:
                shutil.rmtree(new)
                if not self.path.is_dir():
                    raise
        self.require_own()

    def require_own(self) -> None:
        """Before anything in it is believed."""
        facts = os.lstat(self.path)
        if not stat.S_ISDIR(facts.st_mode):
            raise UsageError(f"{self.path}: not a directory")
        if facts.st_uid != os.getuid():
            raise UsageError(f"{self.path}: belongs to another user; choose another place with --state")
        if facts.st_mode & 0o077:
            raise UsageError(f"{self.path}: open to other users, so it is not used; chmod 700 {self.path}, or remove it")
        if self._marked() != _identity(self.path):
            raise UsageError(
                f"{self.path}: was not made here (copied, unpacked or checked out), so it is not used; remove it, or choose --state"
            )

    def adopt(self) -> None:
        """Takes over a directory that came from elsewhere, such as a CI job's cache: of it only the saved searches stay, which are data
        and never say what to run."""
        if not self.exists() or self._marked() == _identity(self.path):
            return
        facts = os.lstat(self.path)
        if not stat.S_ISDIR(facts.st_mode) or facts.st_uid != os.getuid():
            return  # require_own will say so
        for entry in self.path.iterdir():
            if _NAME.fullmatch(entry.name) and entry.is_dir() and not entry.is_symlink():
                for path in entry.iterdir():
                    if path.name != SEARCH or path.is_symlink() or not path.is_file():
                        _remove(path)
            else:
                _remove(entry)
        self.path.chmod(0o700)
        write_private(self.path / ".gitignore", "*\n")
        write_private(self.path / _MARK, json.dumps(_identity(self.path)))

    def test(self, argv: Sequence[str], process: int = 0, place: Place | None = None) -> Path:
        """The directory of a test, made if it is not there."""
        self.create()
        directory = self.path / test_name(argv, process, place)
        directory.mkdir(mode=0o700, exist_ok=True)
        return directory

    def tests(self) -> list[Path]:
        if not self.exists():
            return []
        self.require_own()
        return sorted(path for path in self.path.iterdir() if _NAME.fullmatch(path.name) and path.is_dir() and not path.is_symlink())

    def find(self, name: str) -> Path:
        """A test by its directory's name or by the program's, if that is enough to tell."""
        matches = [path for path in self.tests() if name in (path.name, path.name.rpartition("-")[0])]
        if len(matches) != 1:
            known = ", ".join(path.name for path in self.tests()) or "none"
            raise UsageError(f"{name}: {'several tests match' if matches else 'no such test'} in {self.path}; there are: {known}")
        return matches[0]

    def set_last(self, test: Path) -> None:
        write_private(self.path / _LAST, test.name + "\n")

    def last(self) -> Path:
        """The test that was run last."""
        if not self.exists():
            raise UsageError(f"nothing was run here yet: there is no {self.path}")
        self.require_own()
        try:
            name = (self.path / _LAST).read_text("utf-8").strip()
        except (OSError, UnicodeDecodeError):
            name = ""
        if not _NAME.fullmatch(name) or not (self.path / name).is_dir():
            raise UsageError(f"{self.path} holds no last run; run a test first")
        return self.path / name

    def remove(self, test: Path) -> None:
        shutil.rmtree(test)
        if not self.tests():
            shutil.rmtree(self.path)

    def _marked(self) -> object:
        try:
            marked: object = json.loads((self.path / _MARK).read_text("utf-8"))
        except (OSError, ValueError):
            return None
        return marked


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink()


def _identity(directory: Path) -> dict[str, int]:
    facts = os.lstat(directory)
    return {"device": facts.st_dev, "inode": facts.st_ino}


def write_private(path: Path, text: str) -> None:
    """Whole or not at all, readable by us alone."""
    partial = path.with_name(f"{path.name}.{os.getpid()}.partial")
    descriptor = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW, 0o600)
    with open(descriptor, "w", encoding="utf-8", errors="surrogateescape") as stream:
        stream.write(text)
    os.replace(partial, path)
