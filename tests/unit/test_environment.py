"""The environment of a program under control."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from bpor.target.elf import Elf, read_elf
from bpor.target.environment import controlled_environment


def test_a_panic_of_rusts_prints_no_frames() -> None:
    """It would read all debug information in each execution that panics, by patched code: one took twenty seconds."""
    assert controlled_environment(None, {"RUST_BACKTRACE": "full", "HOME": "/"})["RUST_BACKTRACE"] == "0"


def test_nothing_is_added_for_a_runtime_that_was_not_asked_for_anything() -> None:
    made = controlled_environment(None, {"HOME": "/"})
    assert "RUST_BACKTRACE" not in made and made["HOME"] == "/"


def linked(directory: Path, *words: str) -> Elf:
    (directory / "work.c").write_text("int work(void) { int n = 0;\n#pragma omp parallel\n n++;\n return n; }\n")
    (directory / "main.c").write_text("int work(void); int main(void) { return work(); }\n")
    subprocess.run(["gcc", "-fopenmp", "-fPIC", "-shared", "work.c", "-o", "libwork.so"], cwd=directory, check=True)
    subprocess.run(["gcc", "main.c", "-o", "program", *words], cwd=directory, check=True)
    elf = read_elf(str(directory / "program"))
    assert elf is not None
    return elf


@pytest.mark.needs("gcc")
@pytest.mark.parametrize(
    "words", [("-fopenmp", "work.c"), ("-L.", "-lwork", "-Wl,-rpath,$ORIGIN", "-Wl,--as-needed")], ids=["itself", "by a library"]
)
def test_threads_of_openmp_wait_asleep_unless_the_user_says_otherwise(tmp_path: Path, words: tuple[str, ...]) -> None:
    elf = linked(tmp_path, *words)
    assert controlled_environment(elf, {})["OMP_WAIT_POLICY"] == "passive"
    assert controlled_environment(elf, {"OMP_WAIT_POLICY": "active"})["OMP_WAIT_POLICY"] == "active"


def test_a_program_without_openmp_is_told_nothing_of_it() -> None:
    assert "OMP_WAIT_POLICY" not in controlled_environment(read_elf("/bin/sh"), {})
