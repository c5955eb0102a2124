"""Which modules of a program are patched.

The program and libraries of its own: every access. Libraries of the system: those that the program links, which may be what it is a test
of; those that can make a thread wait by themselves (a locked instruction, a pause, a system call), because a loop that waits reads by
plain moves; and those that lock or make threads, because threads meet in them, also beside their locks. What is interposed (libc and its
like) never. Of what is instrumented only the marked parts (bpor/target/assembler.py) and the functions
of objects that were compiled elsewhere (bpor/target/units.py): it tells its other accesses itself.
"""

from __future__ import annotations

import os
from collections.abc import Iterable

from bpor.machine.cache import Blobs, users_blobs
from bpor.machine.scanned import Summary
from bpor.target.elf import Elf, calls_of
from bpor.target.patched import Patched, Patching

_OF_THE_SYSTEM = ("/lib/", "/lib64/", "/usr/lib/", "/usr/lib64/")
_MEETING = frozenset(  # of threads: who asks for one of these has something that they share
    {
        *("pthread_create", "pthread_mutex_lock", "pthread_mutex_trylock", "pthread_rwlock_rdlock", "pthread_rwlock_wrlock"),
        *("pthread_spin_lock", "pthread_cond_wait", "pthread_cond_timedwait", "pthread_barrier_wait", "sem_wait", "sem_post"),
        *("thrd_create", "mtx_lock", "cnd_wait"),
    }
)


def of_the_system(path: str) -> bool:
    return os.path.realpath(path).startswith(_OF_THE_SYSTEM)


def prepare(elves: Iterable[Elf], mode: str, alone: frozenset[str] = frozenset(), blobs: Blobs | None = None) -> Patching:
    """`elves`: the program's modules, without known libraries of the system. `mode`: auto | all. `alone`: names of those to leave so."""
    blobs = blobs or users_blobs()
    patched: list[Patched] = []
    left_out: list[str] = []
    lines: list[str] = []
    elves = list(elves)
    linked = frozenset(name for elf in elves if not elf.is_library for name in elf.needed)
    for elf in elves:
        if elf.instrumented and not elf.is_told_in_part:
            continue
        if os.path.basename(elf.path) in alone:
            patched.append(Patched(elf.path, problem="--machine-code leaves it alone"))
            continue
        module, blob, waits = _patched(elf, blobs)
        needed = elf.instrumented or waits or os.path.basename(elf.path) in linked or _meets(elf)
        if mode != "all" and of_the_system(elf.path) and not needed:
            left_out.append(elf.path)
            continue
        patched.append(module)
        if blob and not module.problem:
            facts = os.stat(elf.path)
            lines.append(f"{facts.st_dev} {facts.st_ino} {blob}\n")
    return Patching(tuple(patched), tuple(left_out), _listed(lines, blobs))


def _meets(elf: Elf) -> bool:
    return not _MEETING.isdisjoint(calls_of(elf.path))


def _listed(lines: list[str], blobs: Blobs) -> str:
    """The path of the list; empty: there is nothing on it, or no place to write it to."""
    try:
        return blobs.keep("list", "".join(lines).encode() + b"\0") if lines else ""
    except OSError:
        return ""


def patched_otherwise(elves: Iterable[Elf], patching: Patching, blobs: Blobs | None = None) -> str:
    """A list in which the same sites tell by other jumps and other trampolines, where there are such: what a program does under one
    patching and not under another is our doing."""
    blobs = blobs or users_blobs()
    lines: list[str] = []
    for elf in elves:
        module = patching.of(elf.path)
        if module is None or module.problem or not module.sites:
            continue
        (first, blob), (second, other) = blobs.of(elf), blobs.of(elf, other=True)
        facts = os.stat(elf.path)
        lines.append(f"{facts.st_dev} {facts.st_ino} {other if second.summary.identity == first.summary.identity else blob}\n")
    return _listed(lines, blobs)


def _patched(elf: Elf, blobs: Blobs) -> tuple[Patched, str, bool]:
    if elf.has_asan or elf.has_msan or elf.has_tsan_runtime or elf.sanitizer:
        return Patched(elf.path, problem="it is built with a sanitizer, whose own accesses would be taken for its"), "", True
    try:
        found, blob = blobs.of(elf)
    except OSError as error:
        return Patched(elf.path, problem=f"its trampolines cannot be made ({error.strerror})"), "", True
    summary = found.summary
    module = Patched(
        elf.path,
        summary.sites,
        summary.unpatched,
        len(summary.functions),
        found.atomics,
        summary.traps,
        summary.accesses,
        summary.parts if elf.instrumented else (),
        _problem(summary),
        summary.constants,
        summary.unseen,
    )
    return module, blob, summary.waits or bool(summary.problem)


def _problem(summary: Summary) -> str:
    if summary.problem:
        return summary.problem
    if summary.unpatched_atomics:
        return f"{summary.unpatched_atomics} of its atomic instructions have no room for a jump"
    if summary.without_table:
        return f"{summary.without_table} bytes of its code have no table of functions"
    return ""
