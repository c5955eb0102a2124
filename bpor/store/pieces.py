"""Pieces: a saved search in `search.sqlite`, piece by piece, of which only those are written that changed.

A long search changes little from one checkpoint to the next: the states near the root of its trees stay, and of the hashes of traces only
one in many is kept. The file has a limit; all that is in it has one but the stacks of trees, which are as long as executions are.
Invariant: the pieces and their checksum change in one transaction.
"""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from bpor.search.explorer import Frozen

PIECE = 16 << 10  # bytes
MOST = 256 << 20
_CHECKSUM = "checksum"


class TooLarge(OSError):
    """Raised before anything is written."""


class Pieces:
    def __init__(self, path: Path) -> None:
        self._path = path
        self._written: dict[str, bytes] = {}  # digests of what the file holds, as far as we wrote it

    def read(self) -> tuple[dict[str, str], Frozen] | None:
        """What was said about it, and the search; None: nothing was saved. Raises sqlite3.Error, OSError, or ValueError: it is damaged."""
        with _Database(self._path) as database:  # a new one is empty
            rows: dict[str, bytes] = dict(database.execute("select key, value from search"))
        if not rows:
            return None
        checksum: Any = rows.pop(_CHECKSUM, None)
        if any(type(value) is not bytes for value in rows.values()) or checksum != _checksum({key: _digest(rows[key]) for key in rows}):
            raise ValueError("its checksum is another")
        said: dict[str, str] = {}
        parts: dict[str, list[bytes]] = {}
        for key in sorted(rows):
            name, _, number = key.rpartition(" ")
            if number == "said":
                said[name] = rows[key].decode()
            else:
                parts.setdefault(name, []).append(rows[key])
        whole = {name: b"".join(pieces) for name, pieces in parts.items()}
        return said, (whole.pop("state").decode(), [whole[name] for name in sorted(whole)])

    def write(self, said: dict[str, str], frozen: Frozen) -> int:
        """Returns how many bytes were written. Raises sqlite3.Error, OSError."""
        size, new, written = 0, {}, {}
        for key, value in _pieces(said, frozen):
            size += len(value)
            new[key] = _digest(value)
            if self._written.get(key) != new[key]:
                written[key] = value
        if size > MOST:
            raise TooLarge(f"it would take {size >> 20} MiB, and {MOST >> 20} are the most")
        gone = [(key,) for key in self._written.keys() - new.keys()]
        before, self._written = self._written, {}  # if this fails, nobody knows what the file holds
        with _Database(self._path) as database:
            if not before:
                database.execute("delete from search")
            database.executemany("delete from search where key = ?", gone)
            database.executemany("insert or replace into search values (?, ?)", [*written.items(), (_CHECKSUM, _checksum(new))])
        self._written = new
        return sum(map(len, written.values()))

    def remove(self) -> None:
        self._written = {}
        self._path.unlink(missing_ok=True)


def _pieces(said: dict[str, str], frozen: Frozen) -> Iterator[tuple[str, bytes]]:
    for name, text in said.items():
        yield f"{name} said", text.encode()
    yield from _cut("state", frozen[0].encode())
    for number, table in enumerate(frozen[1]):
        yield from _cut(f"table {number:04}", table)


def _cut(name: str, value: bytes) -> Iterator[tuple[str, bytes]]:
    for at in range(0, max(len(value), 1), PIECE):
        yield f"{name} {at:012}", value[at : at + PIECE]


def _digest(value: bytes) -> bytes:
    return hashlib.blake2b(value, digest_size=16).digest()


def _checksum(digests: dict[str, bytes]) -> str:
    whole = hashlib.blake2b(digest_size=16)
    for key in sorted(digests):
        whole.update(f"{len(key)} {key} ".encode() + digests[key])
    return whole.hexdigest()


class _Database:
    """One connection, one transaction, closed at the end. No fsync: we guard against a killed process, not against a power cut."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def __enter__(self) -> sqlite3.Connection:
        if not self._path.exists():
            self._path.touch(mode=0o600)
        self._connection = sqlite3.connect(self._path, timeout=10)
        self._connection.execute("pragma synchronous = off")
        self._connection.execute("create table if not exists search (key text primary key, value)")
        return self._connection

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is None:
            self._connection.commit()
        self._connection.close()
