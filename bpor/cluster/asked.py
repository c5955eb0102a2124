"""Asked: files that the program asks for as it runs on a worker, compared with those that it would have found on the client.

A name leads to what was sent, to what the program itself has made, to nothing on both machines, or to the same on both. Anything else is
another program, whose schedules say nothing about the client's. Of a name that is made, or removed, only whether it was there is compared.
"""

from __future__ import annotations

import functools
import glob
import hashlib
import os
import re
from collections.abc import Callable, Iterable

from bpor.cluster.parcel import Parcel, name_of
from bpor.lazy_dataclass import dataclass
from bpor.target.census import library_called
from bpor.target.elf import Elf

FOR, TO_MAKE, WHETHER, IN_VAIN, TO_LIST, TO_MATCH, TO_LOAD = "=", "+", "!", "-", "/", "*", "?"  # csrc/process/asked.h
_BELOW = "/**"  # ends a pattern of all names there


@dataclass(frozen=True, slots=True)
class Asked:
    how: str  # one of these
    name: str  # relative: below the directory that stands for the client's root
    found: str  # on the worker


def found_at(path: str, how: str, elf: Elf | None = None) -> str:
    """What a name leads to; empty: to nothing. `elf`: the program, whose loader looks for libraries."""
    if how == TO_LOAD:
        path = library_called(elf, path) if elf is not None else ""
    if how == TO_MATCH:
        plain = len(_without_wildcards(path))
        return "\n".join(sorted(one[plain:] for one in glob.glob(path, recursive=True, include_hidden=path.endswith(_BELOW))))
    try:
        if os.path.isdir(path):
            return "directory: " + "/".join(sorted(os.listdir(path))) if how == TO_LIST else "directory"
        if not os.path.isfile(path):
            return "something else" if os.path.lexists(path) else ""
        with open(path, "rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        return os.strerror(error.errno or 0)


class Telling:
    """On a worker: each name once."""

    def __init__(self, own: str, without: Iterable[str], elf: Elf | None = None) -> None:
        """`own`: the directory that stands for the client's root. Nothing is told of what lies below those of `without`."""
        self._own, self._without, self._elf = own, tuple(f"{one}/" for one in without), elf
        self._told: set[str] = set()

    def new(self, signed: Iterable[str]) -> tuple[Asked, ...]:
        """Of names behind their signs."""
        left = sorted(set(signed) - self._told)
        self._told.update(left)
        return tuple(asked for asked in map(self._asked, left) if asked is not None)

    def _asked(self, signed: str) -> Asked | None:
        how, path = signed[0], os.path.normpath(signed[1:])
        if f"{path}/".startswith(self._without):
            return None
        name = os.curdir if path == self._own else path.removeprefix(f"{self._own}/")
        return Asked(how, name, found_at(path, how, self._elf))


class Comparing:
    """On the client, for all workers."""

    def __init__(self, parcel: Parcel, elf: Elf | None = None) -> None:
        self._sent, self._elf = frozenset(item.name for item in parcel.items), elf
        known = (*self._sent, *parcel.directories)
        self._directories = frozenset((*parcel.directories, *(parent for name in known for parent in _parents(name))))
        self._made: set[str] = set()
        self._were_there: set[str] = set()
        self._here: Callable[[str, str], str] = functools.lru_cache(None)(functools.partial(found_at, elf=elf))
        self.all = True  # names are compared

    def other(self, asked: Iterable[Asked], more: bool = False) -> str:
        """Of the first name that leads to something else there, what is to be done; empty: none does. `more`: there are names that are
        not known."""
        asked, self.all = list(asked), self.all and not more
        self._made.update(one.name for one in asked if one.how in (TO_MAKE, IN_VAIN))
        self._were_there.update(one.name for one in asked if one.how == WHETHER)
        return next((self._told(one) for one in asked if not self._is_the_same(one)), "")

    def _told(self, asked: Asked) -> str:
        found = library_called(self._elf, asked.name) if asked.how == TO_LOAD and self._elf is not None else ""
        path = found or _path_here(asked)
        sent = _without_wildcards(path) if asked.how == TO_MATCH else path
        can_be_sent = os.path.lexists(sent) and (found or not os.path.isabs(asked.name))
        remedy = f"--send-files {_shown(sent)}" if can_be_sent else "it has to be the same on every worker"
        return f"the program asks for {_shown(path)}, which is another one there: {remedy}"

    def _is_the_same(self, asked: Asked) -> bool:
        path = _path_here(asked)
        if asked.how == WHETHER:
            return os.path.lexists(path) or self._is_made(asked.name)
        if asked.how == IN_VAIN:
            return not os.path.lexists(path) or asked.name in self._were_there
        if asked.how == TO_MAKE or self._is_sent(asked.name) or asked.found == self._here(path, asked.how):
            return True
        if asked.how == TO_LOAD:
            return False
        if asked.name in self._directories and asked.how == FOR:
            return True
        return not self._here(path, asked.how) and (self._is_made(asked.name) or not os.path.isabs(asked.name))

    def _is_sent(self, name: str) -> bool:
        return name in self._sent or (not os.path.isabs(name) and name_of(os.path.realpath(f"/{name}")) in self._sent)

    def _is_made(self, name: str) -> bool:
        return not self._made.isdisjoint([name, *_parents(name)])


def _path_here(asked: Asked) -> str:
    return asked.name if asked.how == TO_LOAD else os.path.join("/", asked.name)


def _shown(path: str) -> str:
    relative = os.path.relpath(path)
    return path if relative.startswith(os.pardir) else relative


def _without_wildcards(pattern: str) -> str:
    """The directory in which a search for it begins."""
    return os.path.dirname(re.split(r"[*?[\\]", pattern)[0])


def _parents(name: str) -> list[str]:
    parents = []
    while (name := os.path.dirname(name)) not in ("", "/"):
        parents.append(name)
    return parents
