"""The verbs cc, c++ and build: they compile programs so that these report their memory accesses.

`cc` and `c++` become bpor-cc (csrc/compiler), a program: the command does so by itself (scripts/bpor-native), `python -m bpor` does it
here. `build` names that program to a build in CC and CXX.
Invariant: nothing of the package but this file and bpor/native_parts.py is imported on the way to the compiler.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

from bpor.native_parts import part

VERBS = ("cc", "c++", "build")
_COMPILERS = {"CC": ("bpor-cc", "gcc"), "CXX": ("bpor-c++", "g++")}
# An instrumented wheel must not come out of a cache later, for somebody who did not ask for it; nor an ordinary one now.
_NO_CACHES = {"PIP_NO_CACHE_DIR": "1", "UV_NO_CACHE": "1"}
_COMPILED = "BPOR_NATIVE_COMPILED"  # names a file that the compiler makes (csrc/compiler/cc.c)
_NOTHING = (
    "bpor-native build: nothing was compiled: pip takes a wheel where there is one (--no-binary NAME), and a build what it finds"
    " up to date (build_ext --force, make clean); `bpor-native doctor FILE` says what is instrumented\n"
)
_USAGE = """\
usage: bpor-native build COMMAND [arguments]      e.g. bpor-native build make -j4, bpor-native build pip install -e .
Runs COMMAND with CC and CXX set to the instrumenting compiler; compilers already chosen there (clang) are kept underneath.
The wheel caches of pip and uv are left out, so that nothing instrumented is installed from them later.
For one file: bpor-native cc -O1 -pthread test.c -o test; in a makefile: CC="bpor-native cc".
"""


def compile_command(words: list[str]) -> int:
    """As a compiler it never returns if all is well: the process becomes it."""
    verb, *arguments = words
    if verb != "build":
        return _become([str(part("bpor-cc")), verb, *arguments], os.environ)
    if not arguments or arguments[0] in ("--help", "-h"):
        (sys.stdout if arguments else sys.stderr).write(_USAGE)
        return 0 if arguments else 2
    return _build(arguments, os.environ)


def _build(arguments: list[str], environment: Mapping[str, str]) -> int:
    """Says when nothing was compiled: then nothing tells its accesses that did not before."""
    if _COMPILED in environment:
        return _become(arguments, build_environment(environment))  # a build inside a build
    with tempfile.TemporaryDirectory() as directory:
        note = Path(directory) / "compiled"
        try:
            status = subprocess.run(arguments, env={**build_environment(environment), _COMPILED: str(note)}, check=False).returncode
        except OSError as error:
            sys.stderr.write(f"bpor-native: cannot run {arguments[0]}: {error.strerror}\n")
            return 2
        if status == 0 and not note.exists():
            sys.stderr.write(_NOTHING)
    return status if status >= 0 else 128 - status


def build_environment(environment: Mapping[str, str]) -> dict[str, str]:
    """The environment with CC and CXX pointing at ours, and without caches of what they build."""
    changed = {**environment, **_NO_CACHES}
    for variable, (wrapper, default) in _COMPILERS.items():
        chosen = environment.get(variable, default)
        if wrapper in chosen:
            continue  # a build inside a build
        program = part(wrapper)
        changed[variable] = f"{program} --bpor-compiler={chosen}" if chosen != default else str(program)
    return changed


def _become(arguments: list[str], environment: Mapping[str, str]) -> int:
    try:
        os.execvpe(arguments[0], arguments, environment)
    except OSError as error:
        sys.stderr.write(f"bpor-native: cannot run {arguments[0]}: {error.strerror}\n")
        return 2
