"""What a program is, by a look into its file, and what it prints when it is asked for its tests."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping, Sequence

from bpor.errors import UsageError
from bpor.target.elf import read_elf

_SECONDS = 30.0
_BLOCK = 1 << 20


def holds(path: str, *marks: bytes) -> bool:
    """Is one of these texts in the program, as the name of an option would be?"""
    if read_elf(path) is None:
        return False
    longest = max(map(len, marks))
    with open(path, "rb") as stream:
        tail = b""
        while block := stream.read(_BLOCK):
            block = tail + block
            if any(mark in block for mark in marks):
                return True
            tail = block[-longest:]
    return False


def links(path: str, library: str) -> bool:
    elf = read_elf(path)
    return elf is not None and any(os.path.basename(name).startswith(library) for name in elf.needed)


def listing(
    command: list[str], words: Sequence[str], directory: str, environment: Mapping[str, str], any_status: bool = False, errors: bool = False
) -> str:
    """What it prints; `errors`: on stderr too. Raises UsageError."""
    asked = " ".join(words)
    try:
        result = subprocess.run(
            [*command, *words],
            cwd=directory,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT if errors else subprocess.DEVNULL,
            timeout=_SECONDS,
        )
    except subprocess.TimeoutExpired:
        raise UsageError(f"{command[0]}: {asked} took more than {_SECONDS:g} s") from None
    except OSError as error:
        raise UsageError(f"{command[0]}: {error.strerror}") from None
    if result.returncode != 0 and not any_status:
        raise UsageError(f"{command[0]}: {asked} exited with {result.returncode}; if it is no gtest program, say gtest = false")
    return result.stdout.decode("utf-8", "surrogateescape")
