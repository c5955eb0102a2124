"""The environment of a program under control: the user's own, except for variables that language runtimes and sanitizers read."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping

from bpor.target.census import is_system, libraries_of
from bpor.target.elf import Elf
from bpor.target.sanitizers import sanitizer_environment

# A panic that prints the frames of its thread reads all debug information first: for seconds, since each access of its machine code is
# told, in every execution that panics. Where a thread stands is told by us. Errors that carry a stack (RUST_LIB_BACKTRACE) follow it,
# unless they have a word of their own.
_RUST_FRAMES = "RUST_BACKTRACE"

# gcc's, LLVM's and Intel's, also as wheels bring them along (libgomp-a34b3233.so.1.0.0).
_OPENMP = re.compile(r"lib(gomp|omp|iomp5)(-[0-9a-f]+)?\.so(\.\d+)*")

# A thread of OpenMP that waits looks at memory some 300,000 times before it sleeps, and counts, so that no state comes back. The standard
# has a word for going to sleep at once, and what a program may rely on is the same.
_WAITS = "OMP_WAIT_POLICY"


def controlled_environment(elf: Elf | None, environment: Mapping[str, str]) -> dict[str, str]:
    quiet = {_RUST_FRAMES: "0"} if _RUST_FRAMES in environment else {}
    passive = openmp_environment(environment) if elf is not None and _uses_openmp(elf) else {}
    return {**sanitizer_environment(elf, environment), **quiet, **passive}


def _uses_openmp(elf: Elf) -> bool:
    """Itself, or through a library of the program's own; only such a one is worth asking the loader."""
    needed = elf.needed
    if not any(map(is_openmp, needed)) and not all(map(is_system, needed)):
        needed = tuple(os.path.basename(path) for path in libraries_of(elf)[0])
    return any(map(is_openmp, needed))


def is_openmp(path: str) -> bool:
    return _OPENMP.fullmatch(os.path.basename(path)) is not None


def openmp_libraries(paths: Iterable[str]) -> tuple[str, ...]:
    """Those among some files, each once, as the file system spells them."""
    return tuple(sorted({os.path.realpath(path) for path in paths if is_openmp(path)}))


def openmp_environment(environment: Mapping[str, str]) -> dict[str, str]:
    """Unless the user has a word of his own."""
    return {} if _WAITS in environment else {_WAITS: "passive"}
