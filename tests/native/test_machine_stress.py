"""Real programs with every module patched print what they print alone: a few small ones here, more of them in make soak (soak_machine)."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from tests.native.soak_machine import STORM, compared, data_and_text

SMALL = 4_000  # bytes of what they are given


@pytest.mark.parametrize("words", [["gzip", "-c", "-n", "data"], ["sort", "-n", "text"]], ids=" ".join)
def test_a_program_prints_the_same(tmp_path: Path, words: list[str]) -> None:
    program = shutil.which(words[0])
    if program is None:
        pytest.skip(f"needs {words[0]}")
    files = {file.name: str(file) for file in data_and_text(tmp_path, SMALL)}
    same, told = compared([program, *(files.get(word, word) for word in words[1:])])
    assert same and "coverage machine" in told, told


@pytest.mark.needs("g++")
def test_a_storm_of_exceptions_ends_the_same(tmp_path: Path) -> None:
    (tmp_path / "storm.cpp").write_text(STORM.replace("i < 2000", "i < 100"))
    subprocess.run(["g++", "-O2", "-o", tmp_path / "storm", tmp_path / "storm.cpp"], check=True)
    same, told = compared([str(tmp_path / "storm")])
    assert same and "coverage machine" in told, told
