"""Parcel: the program as content. A worker gets files by their hashes, never by a path that happens to exist there.

The executable and libraries of its own travel; the system's libraries do not, and have to be the same on the worker (fitness.py). What
else the program reads is named with --send-files.

A worker lays everything below a directory of its own, each file where the client has it below the root. So a name has one meaning on both
machines, whether the program makes it from its working directory, from its own place or from that of a library.
"""

from __future__ import annotations

import hashlib
import os
import stat
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

from bpor.errors import Uncontrolled, UsageError
from bpor.lazy_dataclass import dataclass
from bpor.target.census import library_called, take_census
from bpor.target.program import TargetProgram


@dataclass(frozen=True, slots=True)
class Item:
    name: str  # where the client has it, without the first slash
    hash: str  # SHA-256 of its bytes
    size: int
    mode: int  # who may read, write and execute it
    modified: int  # when, in nanoseconds


@dataclass(frozen=True, slots=True)
class Parcel:
    """All names of files are those of the client, without the first slash."""

    items: tuple[Item, ...]
    directories: tuple[str, ...]  # that are there, also without files; the first one is the working directory
    links: tuple[tuple[str, str], ...]  # symbolic, and where they lead
    libraries: tuple[str, ...]  # directories in which the loader is to look first
    arguments: tuple[str, ...]  # the program's, and how it is called
    environment: tuple[tuple[str, str], ...]

    @property
    def working(self) -> str:
        return self.directories[0]


@dataclass(frozen=True, slots=True)
class Packed:
    parcel: Parcel
    sources: dict[str, Path]  # by hash: where the client has it

    def content(self, item: Item) -> bytes:
        """Raises Uncontrolled: what was to be sent is no longer there."""
        path = self.sources[item.hash]
        try:
            content = path.read_bytes()
        except OSError as error:
            raise Uncontrolled(f"{path} can no longer be sent to the cluster: {error.strerror}") from None
        if hashlib.sha256(content).hexdigest() != item.hash:
            raise Uncontrolled(f"{path} can no longer be sent to the cluster: it was changed since the search began")
        return content


def pack(program: TargetProgram, argv: Sequence[str], send: Iterable[str], environment: dict[str, str]) -> Packed:
    """Raises UsageError for a file that cannot be sent."""
    libraries = [module.elf.path for module in take_census(program).modules if module.elf.path != program.path]
    _refuse_two_of_a_name(libraries)
    packing = _Packing()
    for path in (program.path, *libraries):
        packing.add(path)
    for name in send:
        sent = packing.add_below(name)
        libraries += [path for path in sent if _is_found_by_name(program, path)]
    search = tuple(dict.fromkeys(name_of(os.path.dirname(path)) for path in libraries))
    called = os.path.relpath(program.path)
    return packing.packed(search, (called if "/" in called else f"./{called}", *argv[1:]), environment)


def name_of(path: str) -> str:
    return os.path.abspath(path).lstrip(os.sep) or os.curdir


def _refuse_two_of_a_name(libraries: Sequence[str]) -> None:
    """The loader on a worker would take one of them for both."""
    counted = Counter(map(os.path.basename, libraries))
    if both := [path for path in libraries if counted[os.path.basename(path)] > 1]:
        raise UsageError(f"{both[0]} and {both[1]} cannot both be sent to the cluster: they have one name")


def _is_found_by_name(program: TargetProgram, path: str) -> bool:
    """A library that the program may open by its name alone: the search path that leads there may not lead there on a worker."""
    if program.elf is None or ".so" not in os.path.basename(path):
        return False
    found = library_called(program.elf, os.path.basename(path))
    return bool(found) and os.path.realpath(found) == os.path.realpath(path)


class _Packing:
    def __init__(self) -> None:
        self._items: dict[str, Item] = {}
        self._directories = {name_of(os.getcwd()): None}
        self._links: dict[str, str] = {}
        self._sources: dict[str, Path] = {}

    def add(self, path: str) -> None:
        real = self._way(path)
        item = _item(real)
        self._items[item.name], self._sources[item.hash] = item, Path(real)

    def add_below(self, name: str) -> list[str]:
        """A file, or a directory with all that is in it; the files."""
        if os.path.isfile(name):
            self.add(name)
            return [os.path.abspath(name)]
        if not os.path.isdir(name):
            raise UsageError(f"--send-files {name}: no such file or directory")
        self._directories[name_of(self._way(name))] = None
        return [path for entry in sorted(_entries(name), key=lambda one: one.name) for path in self._add_entry(entry)]

    def _add_entry(self, entry: os.DirEntry[str]) -> list[str]:
        if entry.is_symlink() and entry.is_dir():
            self._way(entry.path)  # what is in there has to be named
            return []
        return self.add_below(entry.path) if entry.is_dir() or entry.is_file() else []

    def _way(self, path: str) -> str:
        """Where a path leads; symbolic links on that way travel too."""
        at = os.sep
        for part in Path(os.path.abspath(path)).parts[1:]:
            step = os.path.join(at, part)
            at = os.path.realpath(step)
            if at != step:
                self._links[name_of(step)] = name_of(at)
        return at

    def packed(self, search: tuple[str, ...], arguments: tuple[str, ...], environment: dict[str, str]) -> Packed:
        items = tuple(item for _, item in sorted(self._items.items()))
        links = tuple(sorted(self._links.items()))
        return Packed(Parcel(items, tuple(self._directories), links, search, arguments, tuple(sorted(environment.items()))), self._sources)


def _entries(directory: str) -> list[os.DirEntry[str]]:
    try:
        return list(os.scandir(directory))
    except OSError as error:
        raise UsageError(f"{directory} cannot be sent to the cluster: {error.strerror}") from None


def _item(path: str) -> Item:
    try:
        with open(path, "rb") as file:
            digest, status = hashlib.file_digest(file, "sha256").hexdigest(), os.fstat(file.fileno())
    except OSError as error:
        raise UsageError(f"{path} cannot be sent to the cluster: {error.strerror}") from None
    return Item(name_of(path), digest, status.st_size, stat.S_IMODE(status.st_mode) & 0o777, status.st_mtime_ns)
