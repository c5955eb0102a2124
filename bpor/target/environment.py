"""The environment of a program under control: the user's own, except for variables that language runtimes and sanitizers read."""

from __future__ import annotations

import os
from collections.abc import Mapping

from bpor.target.census import is_system, libraries_of
from bpor.target.elf import Elf
from bpor.target.sanitizers import sanitizer_environment

# A panic that prints the frames of its thread reads all debug information first: for seconds, since each access of its machine code is
# told, in every execution that panics. Where a thread stands is told by us. Errors that carry a stack (RUST_LIB_BACKTRACE) follow it,
# unless they have a word of their own.
_RUST_FRAMES = "RUST_BACKTRACE"

# A thread of OpenMP that waits looks at memory some 300,000 times before it sleeps, and counts, so that no state comes back. The standard
# has a word for going to sleep at once, and what a program may rely on is the same.
_OPENMP = ("libgomp.so", "libomp.so", "libiomp5.so")
_OPENMP_WAITS = "OMP_WAIT_POLICY"


def controlled_environment(elf: Elf | None, environment: Mapping[str, str]) -> dict[str, str]:
    quiet = {_RUST_FRAMES: "0"} if _RUST_FRAMES in environment else {}
    passive = {_OPENMP_WAITS: "passive"} if elf is not None and _OPENMP_WAITS not in environment and _uses_openmp(elf) else {}
    return {**sanitizer_environment(elf, environment), **quiet, **passive}


def _uses_openmp(elf: Elf) -> bool:
    """Itself, or through a library of the program's own; only such a one is worth asking the loader."""
    needed = elf.needed
    if not any(map(_is_openmp, needed)) and not all(map(is_system, needed)):
        needed = tuple(os.path.basename(path) for path in libraries_of(elf)[0])
    return any(map(_is_openmp, needed))


def _is_openmp(library: str) -> bool:
    return library.startswith(_OPENMP)
