"""cargo. It is run with a runner of ours, which notes what it is asked to start, where and in which environment, and starts nothing.

Rust code is not compiled otherwise: its accesses are seen in the machine code. Documentation tests are rustdoc's own and are not seen.
"""

from __future__ import annotations

import os
import stat
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from bpor.suite.runners.listed import Listed, Project
from bpor.suite.runners.native import prepare_place, run_quietly

_RUNNER = "CARGO_TARGET_X86_64_UNKNOWN_LINUX_GNU_RUNNER"
_NOTE = """#!/bin/sh
{ printf '%s\\0' "$PWD" "$#" "$@"; env -0; } >"${0%/*}/note.$$"
"""
_NOT_OURS = ("PWD", "OLDPWD", "SHLVL", "_", _RUNNER)


def cargo_project(words: Sequence[str], here: Path, build: Path, environment: Mapping[str, str]) -> Project:
    """`words`: after `cargo`, so that a toolchain may come first. Raises UsageError."""
    prepare_place(build)
    target = environment.get("CARGO_TARGET_DIR", str(build))
    with tempfile.TemporaryDirectory(prefix="bpor-cargo-") as place:
        runner = Path(place, "run")
        runner.write_text(_NOTE)
        runner.chmod(stat.S_IRWXU)
        given = {**environment, "CARGO_TARGET_DIR": target, _RUNNER: str(runner)}
        run_quietly(["cargo", *words], here, given)
        notes = sorted(Path(place).glob("note.*"), key=lambda path: path.stat().st_mtime_ns)
        started = [parse_note(note.read_bytes(), environment) for note in notes]
    return Project(tuple(test for test in started if os.path.isfile(test.argv[0])))  # rustdoc has removed its own


def parse_note(note: bytes, environment: Mapping[str, str]) -> Listed:
    words = [os.fsdecode(word) for word in note.split(b"\0")]
    directory, count = words[0], int(words[1])
    argv, variables = words[2 : 2 + count], words[2 + count : -1]
    then = {name: value for name, _, value in (entry.partition("=") for entry in variables) if name not in _NOT_OURS}
    changed = {name: value for name, value in then.items() if environment.get(name) != value}
    return Listed(os.path.basename(argv[0]).rpartition("-")[0], tuple(argv), directory, tuple(changed.items()))
