"""Every page is run, from its first block to its last: a `console` block gives commands after `$` and what they print, `[...]` standing
for any lines; a block of another language that names a file (```` ```toml bpor.toml ````) is that file."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from bpor.cli.words import VERBS
from bpor.settings import KNOBS
from tests.native.compiled import PROGRAMS, ROOT, compiled
from tests.patience import PATIENCE

PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
MANUAL = ROOT / "docs" / "bpor-native.1"
_BLOCK = re.compile(r"^```(\w*)(?: (\S+))?\n(.*?)^```$", re.MULTILINE | re.DOTALL)
ANY = "[...]"


class Block(NamedTuple):
    language: str
    file: str
    text: str


def blocks(page: Path) -> Iterator[Block]:
    for language, file, text in _BLOCK.findall(page.read_text(encoding="utf-8")):
        yield Block(language, file, text)


def commands(text: str) -> list[tuple[str, list[str]]]:
    found: list[tuple[str, list[str]]] = []
    for line in text.splitlines():
        if line.startswith("$ "):
            found.append((line[2:], []))
        else:
            found[-1][1].append(line)
    return found


def matches(expected: list[str], lines: list[str]) -> bool:
    pattern = "".join(r"(?:[^\n]*\n)*?" if line == ANY else re.escape(line).replace(re.escape(ANY), ".*") + r"\n" for line in expected)
    return re.fullmatch(pattern, "".join(f"{line}\n" for line in lines)) is not None


@pytest.fixture
def workshop(tmp_path: Path) -> Path:
    """A directory with what the pages speak of, and a PATH in which bpor-native is this tree, and python the one that runs us."""
    shutil.copy(PROGRAMS / "buggy/deadlock/bank.c", tmp_path)
    shutil.copy(PROGRAMS / "buggy/livelock/polite.c", tmp_path)
    for name, source in {"cancel": "unsupported/cancel.c", "alone": "correct/process/no_threads.c"}.items():
        shutil.copy(compiled(PROGRAMS / source), tmp_path / name)
    shutil.copy(compiled(PROGRAMS / "correct/mutex/counter.c", ["-DTHREADS=2"]), tmp_path / "counter")
    (tmp_path / "bin").mkdir()
    for name, module in {"bpor-native": "-m bpor", "python": "", "pytest": "-m pytest -p no:cacheprovider"}.items():
        tool = tmp_path / "bin" / name
        tool.write_text(f'#!/bin/sh\nPYTHONPATH={ROOT} exec {sys.executable} {module} "$@"\n')
        tool.chmod(0o755)
    return tmp_path


def spoken() -> Iterator[object]:
    for page in PAGES:
        text = "".join(block.text for block in blocks(page))
        marks = [pytest.mark.needs("Python.h")] if "<Python.h>" in text else []
        if any(block.language == "console" for block in blocks(page)):
            yield pytest.param(page, id=str(page.relative_to(ROOT)), marks=marks)


@pytest.mark.parametrize("page", list(spoken()))
def test_the_commands_of_a_page_print_what_it_says(page: Path, workshop: Path) -> None:
    environment = {**os.environ, "PATH": f"{workshop / 'bin'}:{os.environ['PATH']}", "LANG": "C.UTF-8"}
    for number, block in enumerate(blocks(page), 1):
        if block.file:
            (workshop / block.file).write_text(block.text)
        for command, expected in commands(block.text) if block.language == "console" else ():
            result = subprocess.run(["sh", "-c", command], cwd=workshop, env=environment, capture_output=True, text=True, timeout=PATIENCE)
            lines = (result.stdout + result.stderr).splitlines()
            assert matches(expected, lines), f"{page.name} block {number}: {command} printed\n{result.stdout}{result.stderr}"


def test_the_two_commands_are_targets_of_the_makefile() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for page in PAGES:
        for block in blocks(page):
            for line in block.text.splitlines() if block.language == "sh" else ():
                if match := re.match(r"make ([\w-]+)", line):
                    assert re.search(rf"^{match[1]}:", makefile, re.MULTILINE), f"{page.name}: {line}"


@pytest.mark.parametrize(("language", "schema"), [("yaml github", "vendor.github-workflows"), ("yaml gitlab", "vendor.gitlab-ci")], ids=str)
def test_the_ci_examples_are_valid_by_their_services_schemas(language: str, schema: str, tmp_path: Path) -> None:
    wanted = {"vendor.github-workflows": "workflow.yml", "vendor.gitlab-ci": "gitlab-ci.yml"}[schema]
    found = [block.text for page in PAGES for block in blocks(page) if block.language == "yaml" and block.file == wanted]
    assert found, language
    for text in found:
        (tmp_path / "x.yml").write_text(text)
        checker = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", schema, "x.yml"]
        checked = subprocess.run(checker, cwd=tmp_path, capture_output=True, text=True, timeout=PATIENCE)
        assert checked.returncode == 0, checked.stdout + checked.stderr


def test_every_verdict_has_a_page() -> None:
    schema = json.loads((ROOT / "bpor/report/schema/result-1.json").read_text())
    verdicts = set(schema["properties"]["verdict"]["enum"])
    assert {page.stem for page in (ROOT / "docs/verdicts").glob("*.md")} == verdicts


def test_the_manual_names_every_verb_option_and_exit_code() -> None:
    text = MANUAL.read_text(encoding="utf-8").replace("\\-", "-")
    assert [knob.flag for knob in KNOBS if f"{knob.flag}" not in text] == []
    assert [verb for verb in VERBS if not re.search(rf"\b{verb}\b", text)] == []
    assert all(re.search(rf"^\.B {code}$", text, re.MULTILINE) for code in (0, 1, 2, 3, 4, 5, 77, 99))


@pytest.mark.needs("groff")
def test_the_manual_formats_without_complaint() -> None:
    shown = subprocess.run(["groff", "-man", "-Tutf8", "-ww", str(MANUAL)], capture_output=True, text=True, timeout=PATIENCE)
    assert (shown.returncode, shown.stderr) == (0, "")


def test_links_between_pages_lead_somewhere() -> None:
    for page in PAGES:
        prose = re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)  # a lambda of C++ is no link
        for target in re.findall(r"\]\(([^)#]+)\)", prose):
            if "://" not in target:
                assert (page.parent / target).exists(), f"{page.name}: {target}"
