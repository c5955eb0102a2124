"""TargetProgram: the file we are asked to run, found as a shell would find it and known to be one that a preload library can enter.

Invariant: a file that cannot be run is a UsageError, one that can be run but not controlled is Uncontrolled; each in one line that names
the file, the reason and the way out.
"""

from __future__ import annotations

import os
import shutil
import stat

from bpor.errors import Uncontrolled, UsageError
from bpor.lazy_dataclass import dataclass
from bpor.target.elf import Elf, is_musl, read_elf, shebang


@dataclass(frozen=True, slots=True)
class TargetProgram:
    path: str  # absolute
    device: int
    inode: int
    elf: Elf | None  # None: a script, whose real program is the first it starts that creates a thread
    interpreter: tuple[str, ...] = ()  # of a script
    behind: bool = False  # `path` is another program, which starts this one

    @property
    def is_script(self) -> bool:
        return self.elf is None


def inspect_program(name: str) -> TargetProgram:
    """Raises UsageError (no such thing to run) or Uncontrolled (it would run out of our sight)."""
    path = _find(name)
    status = _runnable(name, path)
    try:
        elf, script = read_elf(path), shebang(path)
    except OSError as error:
        raise UsageError(f"{name}: cannot be read: {error.strerror}; bpor-native looks at a program before it runs it") from None
    if script:
        return TargetProgram(path, status.st_dev, status.st_ino, None, script)
    if elf is None:
        raise UsageError(f"{name}: neither an ELF program nor a script that starts with #!")
    _refuse_not_a_program(name, elf)
    _refuse_unreachable(name, path, elf, status)
    return TargetProgram(path, status.st_dev, status.st_ino, elf)


def _find(name: str) -> str:
    if "/" in name:
        return os.path.abspath(name)
    found = shutil.which(name)
    if found:
        return os.path.abspath(found)
    if os.path.exists(name):
        raise UsageError(f"{name}: not found in PATH; for the one in this directory write ./{name}")
    raise UsageError(f"{name}: no such program in PATH")


def _runnable(name: str, path: str) -> os.stat_result:
    try:
        status = os.stat(path)
    except OSError as error:
        raise UsageError(f"{name}: {error.strerror}") from None
    if stat.S_ISDIR(status.st_mode):
        raise UsageError(f"{name}: is a directory, not a program")
    if not stat.S_ISREG(status.st_mode):
        raise UsageError(f"{name}: not a regular file")
    if not os.access(path, os.X_OK):
        raise UsageError(f"{name}: not executable; if it is a program: chmod +x {name}")
    if status.st_size == 0:
        raise UsageError(f"{name}: is empty")
    return status


def _refuse_not_a_program(name: str, elf: Elf) -> None:
    if elf.kind == "object":
        raise UsageError(f"{name}: an object file; link it into a program first")
    if elf.kind == "core":
        raise UsageError(f"{name}: a core dump, not a program")
    if elf.is_library and (elf.bits, elf.machine) == (64, "EM_X86_64"):  # of others nothing but the header is read
        raise UsageError(f"{name}: a shared library, not a program; run the program that loads it")


def _refuse_unreachable(name: str, path: str, elf: Elf, status: os.stat_result) -> None:
    if elf.bits != 64:
        raise Uncontrolled(f"{name}: a {elf.bits}-bit program and the runtime is 64-bit; build it with -m64")
    if elf.machine != "EM_X86_64":
        raise Uncontrolled(f"{name}: built for {elf.machine.removeprefix('EM_')}, not for x86_64; build it for this machine")
    if is_musl(elf):
        raise Uncontrolled(f"{name}: linked with musl and the runtime needs glibc; build it with the system's gcc")
    if elf.is_static:
        raise Uncontrolled(f"{name}: statically linked, so no preload library can enter it; link it dynamically (drop -static)")
    if elf.has_tsan_runtime:
        raise Uncontrolled(
            f"{name}: has ThreadSanitizer's own runtime inside, which takes the threads for itself;"
            " build it with `bpor-native cc` instead (gcc without -static-libtsan works too)"
        )
    if elf.has_msan:
        raise Uncontrolled(f"{name}: has MemorySanitizer's runtime inside, which cannot be entered; build it without -fsanitize=memory")
    if elf.has_lsan and not elf.has_asan and elf.sanitizer != "lsan":
        raise Uncontrolled(
            f"{name}: has LeakSanitizer's own runtime inside, which takes the threads for itself; build it without -fsanitize=leak"
        )
    if status.st_mode & (stat.S_ISUID | stat.S_ISGID):
        raise Uncontrolled(
            f"{name}: set-user-id or set-group-id, so the loader ignores LD_PRELOAD; run a copy without the bit (cp drops it)"
        )
    if _has_capabilities(path):
        raise Uncontrolled(f"{name}: has file capabilities, so the loader ignores LD_PRELOAD; run a copy without them (cp drops them)")


def _has_capabilities(path: str) -> bool:
    try:
        return bool(os.getxattr(path, "security.capability"))
    except OSError:
        return False  # none, or a file system without them
