"""Shelf: the file of a best-first search (csrc/engine/open/shelf.c), unlinked from the first, so that it goes with our process.

It belongs to us and not to the target: one that dies must not take it along, and a program may close every descriptor that it has.
"""

from __future__ import annotations

import ctypes
import mmap
import os
import tempfile
from typing import Any

from bpor.errors import NoRoomOnDisk
from bpor.protocol import wire

_WRITE, _READ = wire.constant("BPOR_SHELF_WRITE"), wire.constant("BPOR_SHELF_READ")
_PUNCH_HOLE, _KEEP_SIZE = 2, 1  # fallocate


class Shelf:
    def __init__(self, directory: str | None = None) -> None:
        self._directory = directory or os.environ.get("TMPDIR") or "/var/tmp"  # /tmp is memory on many machines
        self._fd: int | None = None

    def __del__(self) -> None:
        if self._fd is not None:
            os.close(self._fd)

    def answer(self, shelf: Any, memory: mmap.mmap) -> None:
        """Does what the search asks for. Raises NoRoomOnDisk."""
        begin = wire.SEARCH_OFFSET + int(shelf.page)
        with memoryview(memory) as view, view[begin : begin + int(shelf.bytes)] as page:
            try:
                self._do(int(shelf.request), page, int(shelf.offset))
            except OSError as error:
                raise NoRoomOnDisk(
                    f"open choices that do not fit into memory cannot be kept in {self._directory}: {error.strerror}"
                ) from None
        shelf.answered = 1

    def _do(self, request: int, page: memoryview, offset: int) -> None:
        if self._fd is None:
            self._fd, name = tempfile.mkstemp(prefix="bpor-fringe-", dir=self._directory)
            os.unlink(name)
        fd, done = self._fd, 0
        while request in (_WRITE, _READ) and done < len(page):
            count = os.pwrite(fd, page[done:], offset + done) if request == _WRITE else os.preadv(fd, [page[done:]], offset + done)
            if count == 0:
                break  # behind the end of the file, where nothing lies
            done += count
        if request not in (_WRITE, _READ):
            _give_back(fd, offset, len(page))


def _give_back(fd: int, offset: int, count: int) -> None:
    """A file system that cannot keeps the room."""
    ctypes.CDLL(None, use_errno=True).fallocate64(fd, _PUNCH_HOLE | _KEEP_SIZE, ctypes.c_int64(offset), ctypes.c_int64(count))
