"""How a Python test runner gets the preload library: it starts itself again, once, in an environment that has it.

Invariant: the command line is the same the second time, and a process that has the library is never started again.
"""

from __future__ import annotations

import ctypes
import os
import sys
from collections.abc import Mapping
from typing import NoReturn

from bpor.errors import Uncontrolled, UsageError
from bpor.native_parts import NATIVE
from bpor.target.program import inspect_program
from bpor.target.python import is_free_threaded, python_environment
from bpor.target.workspace import bearable, preload_of, users_preload

STARTED_BY_US = "BPOR_NATIVE_PYTEST"  # set for a pytest that `bpor-native pytest` started
_ONCE = "BPOR_NATIVE_STARTED"  # the number of the process that started itself again
_ADDR_NO_RANDOMIZE = 0x0040000
_QUERY = 0xFFFFFFFF


def controlled_environment(environment: Mapping[str, str], interpreter: str) -> dict[str, str]:
    if not bearable(NATIVE):
        raise UsageError(f"bpor-native is in {NATIVE}, and LD_PRELOAD cannot name a path with spaces, colons or semicolons")
    users = users_preload(environment.get("LD_PRELOAD", ""))
    free_threaded = is_free_threaded(inspect_program(interpreter))
    return {**python_environment(environment, free_threaded), "LD_PRELOAD": ":".join(filter(None, (preload_of(NATIVE), users)))}


def start_again() -> NoReturn:
    """This process becomes the same command with the preload library in it."""
    if os.environ.get(_ONCE) == str(os.getpid()):
        raise Uncontrolled(f"{sys.executable}: LD_PRELOAD did not bring the library in; is the interpreter static or set-user-id?")
    if "PYTEST_XDIST_WORKER" in os.environ and sys.argv[0] == "-c":  # the worker itself, not a pytest that a test of it starts
        raise Uncontrolled("this worker was started without the environment of the process that started it; run without -n")
    fix_addresses()
    sys.stdout.flush()
    sys.stderr.flush()
    environment = {**controlled_environment(os.environ, sys.executable), _ONCE: str(os.getpid())}
    os.execve(sys.executable, [sys.executable, *sys.orig_argv[1:]], environment)


def fix_addresses() -> None:
    """For the programs that this process starts or becomes; where it is refused everything works, but raw addresses differ between runs."""
    libc = ctypes.CDLL(None)
    before = libc.personality(ctypes.c_ulong(_QUERY))
    if before != -1:
        libc.personality(ctypes.c_ulong(before | _ADDR_NO_RANDOMIZE))


def has_no_gil() -> bool:
    """A free-threaded interpreter has it if an extension, or its user, asked for it."""
    return not getattr(sys, "_is_gil_enabled", lambda: True)()
