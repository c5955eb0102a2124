"""Where bpor-native runs, checked before anything else is imported.

Invariant: this file, bpor/__init__.py, bpor/__main__.py and bpor/cli/__init__.py run on every Python, 2.7 included, so that an old one gets
a sentence and not a SyntaxError: no annotations, no f-strings.
"""

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Optional, Tuple  # noqa: F401

PYTHON = (3, 11)
GLIBC = (2, 34)  # the first with _Fork(), which a running execution is made with, and with the thread functions in libc itself


def glibc_version():
    # type: () -> Optional[Tuple[int, ...]]
    """(major, minor), or None where the C library is another one."""
    try:
        name, _, version = (os.confstr("CS_GNU_LIBC_VERSION") or "").partition(" ")
        return tuple(int(part) for part in version.split(".")[:2]) if name == "glibc" else None
    except (AttributeError, ValueError, OSError):
        return None


def unsupported(python=None, system=None, machine=None, bits=None, glibc=None):
    # type: (Optional[Tuple[int, ...]], Optional[str], Optional[str], Optional[int], Optional[Tuple[int, ...]]) -> Optional[str]
    """Why this machine cannot run bpor-native and what to use instead, in one line; None if it can. The arguments are for tests."""
    python = python or sys.version_info[:2]
    system = system or sys.platform
    machine = machine or (os.uname()[4] if hasattr(os, "uname") else "")
    bits = bits or (64 if sys.maxsize > 2**32 else 32)
    if tuple(python) < PYTHON:
        return "it needs Python {}.{} or newer and this is {}.{}; run it with a newer interpreter, e.g. python3.12 -m bpor".format(
            *(PYTHON + tuple(python))
        )
    if system == "darwin":
        return "macOS has no LD_PRELOAD and no futex to control threads with; use a Linux container or virtual machine (x86_64, glibc)"
    if system.startswith(("win", "cygwin", "msys")):
        return "Windows threads are not pthreads; use WSL 2 or a Linux container (x86_64, glibc)"
    if system != "linux":
        return "it controls Linux threads and this is {}; use a Linux container or virtual machine".format(system)
    if bits != 64:
        return "this Python is a 32-bit program and the runtime is 64-bit; use a 64-bit Python and build the test with -m64"
    if machine not in ("x86_64", "AMD64"):
        return "only x86_64 is supported and this is {}; use an x86_64 machine or emulator".format(machine)
    glibc = glibc_version() if glibc is None else glibc
    if not glibc:
        return "the C library is not glibc (musl?) and the runtime is built for glibc; use a glibc image such as debian:12 or ubuntu:22.04"
    if tuple(glibc) < GLIBC:
        return "it needs glibc {}.{} or newer and this is {}.{}; use debian:12, ubuntu:22.04 or newer".format(*(GLIBC + tuple(glibc)))
    return None
