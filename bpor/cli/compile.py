"""The verbs cc, c++ and build: programs that tell their accesses of memory.

`cc` and `c++` become bpor-cc (csrc/compiler), a program: the command does so by itself (scripts/bpor-native), `python -m bpor` does it
here. `build` names that program to a build in CC and CXX.
Invariant: nothing of the package but this file is imported on the way to the compiler.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path

NATIVE = Path(__file__).parent.parent / "_native"
VERBS = ("cc", "c++", "build")
_COMPILERS = {"CC": ("bpor-cc", "gcc"), "CXX": ("bpor-c++", "g++")}
# An instrumented wheel must not come out of a cache later, for somebody who did not ask for it; nor an ordinary one now.
_NO_CACHES = {"PIP_NO_CACHE_DIR": "1", "UV_NO_CACHE": "1"}
_USAGE = """\
usage: bpor-native build COMMAND [arguments]      e.g. bpor-native build make -j4, bpor-native build pip install -e .
Runs COMMAND with CC and CXX set to the instrumenting compiler; compilers already chosen there (clang) are kept underneath.
The wheel caches of pip and uv are left out, so that nothing instrumented is installed from them later.
For one file: bpor-native cc -O1 -pthread test.c -o test; in a makefile: CC="bpor-native cc".
"""


def compile_command(words: list[str]) -> int:
    """Never returns if all is well: the process becomes the compiler or the build."""
    verb, *arguments = words
    if verb != "build":
        return _become([str(NATIVE / "bpor-cc"), verb, *arguments], os.environ)
    if not arguments or arguments[0] in ("--help", "-h"):
        (sys.stdout if arguments else sys.stderr).write(_USAGE)
        return 0 if arguments else 2
    return _become(arguments, build_environment(os.environ))


def build_environment(environment: Mapping[str, str]) -> dict[str, str]:
    """The environment with CC and CXX pointing at ours, and without caches of what they build."""
    changed = {**environment, **_NO_CACHES}
    for variable, (wrapper, default) in _COMPILERS.items():
        chosen = environment.get(variable, default)
        if wrapper in chosen:
            continue  # a build inside a build
        changed[variable] = f"{NATIVE / wrapper} --bpor-compiler={chosen}" if chosen != default else str(NATIVE / wrapper)
    return changed


def _become(arguments: list[str], environment: Mapping[str, str]) -> int:
    try:
        os.execvpe(arguments[0], arguments, environment)
    except OSError as error:
        sys.stderr.write(f"bpor-native: cannot run {arguments[0]}: {error.strerror}\n")
        return 2
