"""A program that writes over the search beside it is told so; it never passes."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from bpor.api import check
from bpor.errors import Damaged
from bpor.protocol._wire import ffi  # type: ignore[import-not-found,unused-ignore]
from tests.native.compiled import compiled

SCRIBBLE = Path(__file__).with_name("scribble.c")
WITHOUT_KEYS = [sys.executable, str(Path(__file__).with_name("docker_seccomp.py")), "--also=330"]  # pkey_alloc


def offset(*path: str | int) -> str:
    return str(ffi.offsetof("struct bpor_search", *path))


@pytest.mark.parametrize("reset", ["rollback", "fork"])
@pytest.mark.parametrize(
    "where",
    [
        offset("exploring"),
        offset("answer", "tree"),
        offset("total", "executions"),
        offset("tree", 0, "finished"),
        offset("tree", 0, "schedule"),
        offset("log"),
        offset("stack"),
    ],
)
def test_a_program_that_writes_over_the_search_is_never_believed(where: str, reset: str) -> None:
    with pytest.raises(Damaged):
        check([str(compiled(SCRIBBLE)), where, "8"], engine="native", bound="none", reset=reset)


@pytest.mark.parametrize(("where", "bytes", "code"), [(offset("stack"), "8", 99), ("0", "0", 0)])
def test_trees_without_a_key_of_memory_protection_have_checksums(where: str, bytes: str, code: int) -> None:
    tool = [*WITHOUT_KEYS, sys.executable, "-m", "bpor", "-q", "--bound", "none", "--reset", "fork"]
    run = subprocess.run([*tool, str(compiled(SCRIBBLE)), where, bytes], capture_output=True, text=True, check=False)
    assert run.returncode == code, run


def test_a_handler_of_the_program_does_not_hide_that_it_wrote_there() -> None:
    with pytest.raises(Damaged):
        check([str(compiled(SCRIBBLE)), offset("stack"), "8", "caught"], engine="native", bound="none")


def test_the_same_program_passes_when_it_leaves_the_search_alone() -> None:
    assert check([str(compiled(SCRIBBLE)), "0", "0"], engine="native", bound="none").verdict.kind.value == "pass"
