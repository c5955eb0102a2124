"""OpenMP in a test runner: the libraries of it that are loaded are patched in the process of every test."""

from __future__ import annotations

import os
from functools import cache

from bpor.target.doubts import NO_DOUBTS, Doubts
from bpor.target.elf import read_elf
from bpor.target.environment import openmp_libraries
from bpor.target.patched import UNPATCHED, Patching


def patching_here() -> tuple[Patching, Doubts]:
    """Of what is loaded now; a race with it may be its own synchronisation."""
    mapped = _mapped()
    libraries = openmp_libraries(mapped)
    if not libraries:
        return UNPATCHED, NO_DOUBTS
    instrumented = (path for path in mapped if (elf := read_elf(path)) is not None and elf.instrumented)
    return _patching(libraries), Doubts(frozenset(libraries), frozenset(map(os.path.realpath, instrumented)))


@cache
def _patching(libraries: tuple[str, ...]) -> Patching:
    from bpor.machine.modules import prepare

    return prepare(filter(None, map(read_elf, libraries)), "all")


def _mapped() -> tuple[str, ...]:
    """The files of which this process has code."""
    with open("/proc/self/maps") as maps:
        lines = [line.rstrip("\n").split(maxsplit=5) for line in maps]
    return tuple(dict.fromkeys(line[5] for line in lines if len(line) > 5 and line[5].startswith("/") and "x" in line[1]))
