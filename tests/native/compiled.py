"""Native test programs, compiled once per content: shared by xdist's workers and by the next run.

Invariant: a file in the cache is complete, because it is written elsewhere and linked; its name tells source, flags and compiler. The first
one that is there stays: a tool that has looked at a program does not take its successor for it.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PROGRAMS = ROOT / "native_tests"
CACHE = ROOT / "build" / "native_tests"
WARNINGS = ("-g", "-O1", "-pthread", "-Wall", "-Wextra", "-Werror")
NATIVE = ROOT / "bpor" / "_native"
INSTRUMENTING = {"gcc": NATIVE / "bpor-cc", "g++": NATIVE / "bpor-c++"}
STUB = NATIVE / "instrument" / "libtsan.a"
WRAPPED = (STUB, NATIVE / "assembler" / "as")  # what the wrapped compilers add
CPP_SUFFIXES = frozenset({".cpp", ".cc"})


def skip_without_clang_runtime(stderr: str) -> None:
    """clang is there, what it links to sanitized programs is a package of its own."""
    if "libclang_rt" in stderr:
        pytest.skip("needs libclang-rt-dev")


def compiler(source: Path) -> str:
    return "g++" if source.suffix in CPP_SUFFIXES else "gcc"


def compiled(source: Path, flags: Sequence[str] = (), instrumented: bool = False, using: str = "") -> Path:
    """The executable; a compiler's complaint is an AssertionError that shows it. `instrumented`: built with `bpor-native cc`. `using`:
    another compiler than gcc or g++."""
    standard = "-std=gnu++17" if source.suffix in CPP_SUFFIXES else "-std=gnu11"
    real = using or compiler(source)
    command = [str(INSTRUMENTING[real]) if instrumented else real, standard, *WARNINGS, *flags]
    built_with = [identity(real), *(map(identity, [command[0], *map(str, WRAPPED)]) if instrumented else [])]
    key = hashlib.sha256("\0".join([*built_with, *command]).encode() + b"\0" + source.read_bytes()).hexdigest()[:16]
    executable = CACHE / key / source.stem
    if not executable.exists():
        executable.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=executable.parent) as private:
            output = Path(private) / source.stem
            result = subprocess.run([*command, "-o", output, source], capture_output=True, text=True)
            assert result.returncode == 0, result.stderr
            with contextlib.suppress(FileExistsError):
                os.link(output, executable)
    return executable


def identity(name: str) -> str:
    """Which compiler this is: an upgraded one has another size or date."""
    path = name if "/" in name else shutil.which(name)
    assert path is not None, f"{name} is missing"
    status = os.stat(path)
    return f"{path} {status.st_size} {status.st_mtime_ns}"
