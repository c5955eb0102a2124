"""What this machine has: the facts that doctor prints when it is given no program."""

from __future__ import annotations

import ctypes
import os
import platform
import shutil
import sys

from bpor.lazy_dataclass import dataclass
from bpor.native_parts import NATIVE
from bpor.platform_support import glibc_version, unsupported

_ADDR_NO_RANDOMIZE = 0x0040000
_QUERY = 0xFFFFFFFF  # personality(2): only tell
_USERFAULTFD, _USER_MODE_ONLY = 323, 1


@dataclass(frozen=True, slots=True)
class Fact:
    name: str
    value: str
    ok: bool = True  # False: bpor-native cannot run
    advice: str = ""  # what would be better


def machine_facts() -> list[Fact]:
    glibc = glibc_version()
    reason = unsupported()
    return [
        Fact("platform", reason or "supported", reason is None),
        Fact("kernel", f"{platform.system()} {platform.release()} {platform.machine()}"),
        Fact("C library", f"glibc {'.'.join(map(str, glibc))}" if glibc else "not glibc", glibc is not None),
        Fact("Python", platform.python_version() + f" ({sys.executable})"),
        *(_native(name) for name in ("libbpor.so", "libbpor-decode.so", "bpor-launch")),
        _address_randomisation(),
        _tracking_of_pages(),
        Fact("processors", str(len(os.sched_getaffinity(0)))),
        *(_tool(name, use) for name, use in (("gcc", "builds the tests"), ("gdb", "debugs a replay"))),
    ]


def _native(name: str) -> Fact:
    path = NATIVE / name
    if path.exists():
        return Fact(name, str(path))
    return Fact(name, "not built", False, "python scripts/native_build.py, or install the wheel")


def _address_randomisation() -> Fact:
    """Tried, not guessed: seccomp filters of containers refuse the call."""
    libc = ctypes.CDLL(None, use_errno=True)
    before = libc.personality(ctypes.c_ulong(_QUERY))
    allowed = before != -1 and libc.personality(ctypes.c_ulong(before | _ADDR_NO_RANDOMIZE)) != -1
    if allowed:
        libc.personality(ctypes.c_ulong(before))
        return Fact("address randomisation", "can be switched off")
    return Fact(
        "address randomisation", "cannot be switched off here", advice="searching and replaying work; raw addresses differ between runs"
    )


def _tracking_of_pages() -> Fact:
    """Tried, for the same reason: it tells rollback which pages an execution wrote."""
    descriptor = ctypes.CDLL(None).syscall(ctypes.c_long(_USERFAULTFD), ctypes.c_long(os.O_CLOEXEC | _USER_MODE_ONLY))
    if descriptor >= 0:
        os.close(descriptor)
        return Fact("userfaultfd", "allowed")
    return Fact("userfaultfd", "not allowed here", advice="slower: a small program is copied back whole, a large one forked")


def _tool(name: str, use: str) -> Fact:
    path = shutil.which(name)
    return Fact(name, path) if path else Fact(name, "missing", advice=f"optional: it {use}")
