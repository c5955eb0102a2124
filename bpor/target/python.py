"""Python interpreters as programs under control: how one is known, the environment it needs, and where its executions begin.

Invariant: what the user set stays, except for what would start threads of its own.
"""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

from bpor.errors import UsageError
from bpor.lazy_dataclass import replace
from bpor.target.environment import openmp_environment
from bpor.target.options import TargetOptions
from bpor.target.program import TargetProgram

_NAME = re.compile(r"python(\d+(\.\d+)*)?[a-z]*")
_TUNABLES = "glibc.pthread.rseq=0"  # the kernel would write into memory that an execution shares with nobody
_POOLS = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")  # of libraries whose own threads nobody asked for
_WITH_VALUE = ("-W", "-X", "--check-hash-based-pycs")
_RUNNER = Path(__file__).parent.parent / "extension" / "run_script.py"
NO_GIL = "the interpreter has no GIL"
_LOCK = {
    "real": "threads switch where the GIL is released and before calls of instrumented functions and of locks,"
    " not at every bytecode: updates of plain Python objects are out of reach",
    "off": "free threading is simulated: code for Py_GIL_DISABLED was not compiled in",
    "none": "the interpreter's lock is not looked at",
}
_LOOKS = 20.0  # seconds for a shim to say what it starts


def is_python_name(path: str) -> bool:
    return _NAME.fullmatch(os.path.basename(path)) is not None


def is_python(program: TargetProgram) -> bool:
    return program.elf is not None and (is_python_name(program.path) or is_python_name(os.path.realpath(program.path)))


def python_environment(environment: Mapping[str, str], free_threaded: bool = False) -> dict[str, str]:
    """Hashes and heap addresses repeat; freed memory goes back to the allocator that we watch. A free-threaded interpreter allows no
    other allocator than its own (csrc/python/allocator.c), and would switch its lock on for a module that has not said it can do
    without: cffi is one, which pytest loads for our sake."""
    memory = {"PYTHON_GIL": environment.get("PYTHON_GIL", "0")} if free_threaded else {"PYTHONMALLOC": "malloc"}
    tunables = ":".join(filter(None, (environment.get("GLIBC_TUNABLES"), _TUNABLES)))
    seed = environment.get("PYTHONHASHSEED", "")
    return {
        **environment,
        "PYTHONHASHSEED": seed if seed.isdigit() else "0",
        **memory,
        "GLIBC_TUNABLES": tunables if _TUNABLES not in environment.get("GLIBC_TUNABLES", "") else environment["GLIBC_TUNABLES"],
        **dict.fromkeys(_POOLS, "1"),
        **openmp_environment(environment),
    }


def python_options(options: TargetOptions) -> TargetOptions:
    """The interpreter's start-up is no test."""
    return replace(options, fork_at="first-thread" if options.fork_at == "main" else options.fork_at)


def python_arguments(arguments: Sequence[str]) -> list[str]:
    """The interpreter's own options, then our runner, then what it is to run; as they are where that is not a file, -m or -c."""
    options, program = split_arguments(arguments)
    return [*options, *([str(_RUNNER)] if program and program[0] != "-" else []), *program]


def split_arguments(arguments: Sequence[str]) -> tuple[list[str], list[str]]:
    """(options of the interpreter, `script argument...` or `-m module argument...` or `-c code argument...`)."""
    position = 0
    while position < len(arguments) and arguments[position].startswith("-") and arguments[position] not in ("-", "-c", "-m"):
        position += 2 if arguments[position] in _WITH_VALUE else 1
    return list(arguments[:position]), list(arguments[position:])


def is_free_threaded(program: TargetProgram) -> bool:
    """A build that can do without the global lock."""
    return program.elf is not None and program.elf.free_threaded


def python_assumptions(gil: str, free_threaded: bool) -> tuple[str, ...]:
    lock = NO_GIL if free_threaded else _LOCK[gil]
    return lock, "no cyclic garbage collection meanwhile"


def real_interpreter(path: str) -> str:
    """Behind a shim (pyenv's is a shell script): the interpreter that it would start here."""
    question = [path, "-c", "import sys; print(sys.executable)"]
    try:
        said = subprocess.run(question, capture_output=True, text=True, timeout=_LOOKS, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise UsageError(f"{path}: does not say which interpreter it starts: {error}") from None
    found = said.stdout.strip()
    if said.returncode or not os.path.exists(found):
        words = said.stderr.strip().splitlines()
        raise UsageError(f"{path}: does not say which interpreter it starts" + (f": {words[-1]}" if words else ""))
    return found
