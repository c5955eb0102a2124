"""Parcel: the program as content. A worker gets files by their hashes, never by a path that happens to exist there.

The executable and libraries of its own travel; the system's libraries do not, and have to be the same on the worker (fitness.py). What
else the program reads is named with --send-files, and keeps its place relative to the working directory.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Sequence
from pathlib import Path, PurePosixPath

from bpor.errors import Uncontrolled, UsageError
from bpor.lazy_dataclass import dataclass
from bpor.target.census import library_called, take_census
from bpor.target.program import TargetProgram

PROGRAM, LIBRARIES = "program", "libraries"  # where a worker lays them, beside the files that were sent


@dataclass(frozen=True, slots=True)
class Item:
    name: str  # where it lies in the worker's directory, relative
    hash: str  # SHA-256 of its bytes
    size: int
    executable: bool


@dataclass(frozen=True, slots=True)
class Parcel:
    items: tuple[Item, ...]
    arguments: tuple[str, ...]  # the program's, and how it is called there
    environment: tuple[tuple[str, str], ...]

    @property
    def hash(self) -> str:
        return hashlib.sha256(repr(self.items).encode()).hexdigest()


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

    def path_of(self, name: str) -> str:
        """Where the client has a file that a worker knows by its name in the parcel; any other path is the same on both."""
        item = next((item for item in self.parcel.items if item.name == name), None)
        return name if item is None else str(self.sources[item.hash])


def pack(program: TargetProgram, argv: Sequence[str], send: Iterable[str], environment: dict[str, str]) -> Packed:
    """Raises UsageError for a file that cannot be sent."""
    called = f"{PROGRAM}/{os.path.basename(program.path)}"
    files = {called: Path(program.path)}
    for module in take_census(program).modules:
        if module.elf.path != program.path:
            name = f"{LIBRARIES}/{os.path.basename(module.elf.path)}"
            if name in files:
                raise UsageError(f"{module.elf.path} and {files[name]} cannot both be sent to the cluster: they have one name")
            files[name] = Path(module.elf.path)
    for name in send:
        sent = dict(_sent(name))
        files |= {f"{LIBRARIES}/{path.name}": path for path in sent.values() if _is_found_by_name(program, path)} | sent | files
    items, sources = [], {}
    for name, path in sorted(files.items()):
        item = _item(name, path)
        items.append(item)
        sources[item.hash] = path
    arguments = (f"./{called}", *argv[1:])
    return Packed(Parcel(tuple(items), arguments, tuple(sorted(environment.items()))), sources)


def _is_found_by_name(program: TargetProgram, path: Path) -> bool:
    """A library that the program may open by its name alone: its search path does not travel, so it is found among those that do."""
    if program.elf is None or ".so" not in path.name:
        return False
    found = library_called(program.elf, path.name)
    return bool(found) and os.path.realpath(found) == os.path.realpath(path)


def _sent(name: str) -> Iterable[tuple[str, Path]]:
    path = Path(name)
    relative = PurePosixPath(os.path.relpath(path))
    if relative.parts[0] in ("..", PROGRAM, LIBRARIES):
        raise UsageError(f"--send-files {name}: it lies outside of the working directory, or where the program itself is put")
    if path.is_dir():
        inside = sorted(one for one in path.rglob("*") if one.is_file())
        return [(str(relative / one.relative_to(path)), one) for one in inside]
    if not path.is_file():
        raise UsageError(f"--send-files {name}: no such file or directory")
    return [(str(relative), path)]


def _item(name: str, path: Path) -> Item:
    try:
        with path.open("rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
        return Item(name, digest, path.stat().st_size, os.access(path, os.X_OK))
    except OSError as error:
        raise UsageError(f"{path} cannot be sent to the cluster: {error.strerror}") from None
