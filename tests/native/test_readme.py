"""Every block of the README is run: a `console` block gives commands after `$` and what they print; `[...]` stands for any lines."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.native.compiled import PROGRAMS, ROOT, compiled

PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
_BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
ANY = "[...]"


def blocks(kind: str) -> Iterator[tuple[str, str]]:
    for page in PAGES:
        for number, (language, text) in enumerate(_BLOCK.findall(page.read_text(encoding="utf-8"))):
            if language == kind:
                yield f"{page.name} block {number + 1}", text


def commands(text: str) -> list[tuple[str, list[str]]]:
    found: list[tuple[str, list[str]]] = []
    for line in text.splitlines():
        if line.startswith("$ "):
            found.append((line[2:], []))
        else:
            found[-1][1].append(line)
    return found


def matches(expected: list[str], lines: list[str]) -> bool:
    pattern = "".join(r"(?:[^\n]*\n)*?" if line == ANY else re.escape(line) + r"\n" for line in expected)
    return re.fullmatch(pattern, "".join(f"{line}\n" for line in lines)) is not None


@pytest.fixture(scope="module")
def workshop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory with what the pages speak of, and a PATH in which bpor-native is this tree."""
    directory = tmp_path_factory.mktemp("workshop")
    shutil.copy(PROGRAMS / "buggy/deadlock/bank.c", directory)
    shutil.copy(compiled(PROGRAMS / "correct/mutex/counter.c", ["-DTHREADS=2"]), directory / "counter")
    tool = directory / "bin" / "bpor-native"
    tool.parent.mkdir()
    tool.write_text(f'#!/bin/sh\nPYTHONPATH={ROOT} exec {sys.executable} -m bpor "$@"\n')
    tool.chmod(0o755)
    return directory


@pytest.mark.parametrize(("name", "text"), [pytest.param(*block, id=block[0]) for block in blocks("console")])
def test_a_console_block_prints_what_the_page_says(name: str, text: str, workshop: Path) -> None:
    environment = {**os.environ, "PATH": f"{workshop / 'bin'}:{os.environ['PATH']}", "LANG": "C.UTF-8"}
    for command, expected in commands(text):
        result = subprocess.run(["sh", "-c", command], cwd=workshop, env=environment, capture_output=True, text=True, timeout=120)
        lines = (result.stdout + result.stderr).splitlines()
        assert matches(expected, lines), f"{name}: {command} printed\n{result.stdout}{result.stderr}"


def test_the_two_commands_are_targets_of_the_makefile() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for name, text in blocks("sh"):
        for line in text.splitlines():
            if match := re.match(r"make ([\w-]+)", line):
                assert re.search(rf"^{match[1]}:", makefile, re.MULTILINE), f"{name}: {line}"
