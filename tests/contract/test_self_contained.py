"""The project refers to nothing outside itself: a clone on another machine is complete."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PERSONAL = re.compile(r"(?<![\w.~$}])/(?:root|home|work|Users)/\w")
CLIMBS = re.compile(r"(?<![\w./])(?:\.\./)+[\w-]+")
SOURCE = re.compile(r"(?<![\w/.*<{-])((?:bpor|csrc|tests|benchmarks|scripts|native_tests)/[\w/+-]+\.(?:py|c|h|def))\b")
DOCUMENT = re.compile(r"(?<![\w/.-])([A-Za-z][\w./-]*\.md)\b")
REGISTRY = re.compile(r"\b(?:pypi\.org|pythonhosted\.org|crates\.io|registry\.npmjs\.org)\b")


def project_files() -> list[Path]:
    """What git tracks or would track; in an unpacked sdist, everything."""
    try:
        listed = subprocess.run(
            ["git", "ls-files", "-co", "--exclude-standard"], cwd=ROOT, capture_output=True, text=True, check=True
        ).stdout
        paths = [ROOT / name for name in listed.splitlines()]
    except (OSError, subprocess.CalledProcessError):
        paths = [path for path in ROOT.rglob("*") if not {"build", "dist", "_native"} & set(path.parts) and "/." not in str(path)]
    return [path for path in paths if path.is_file() and path != Path(__file__)]


FILES = project_files()
DOCUMENTS = {path.name for path in FILES if path.suffix == ".md"}


def foreign(line: str, directory: Path = ROOT) -> list[str]:
    """What a line of a file in `directory` names outside the project."""
    found = PERSONAL.findall(line) + REGISTRY.findall(line)
    found += [name for name in CLIMBS.findall(line) if not (directory / name).resolve().is_relative_to(ROOT)]
    found += [name for name in SOURCE.findall(line) if not (ROOT / name).exists()]
    return found + [name for name in DOCUMENT.findall(line) if Path(name).name not in DOCUMENTS]


def test_no_file_refers_to_anything_outside_the_project() -> None:
    offending = [
        f"{path.relative_to(ROOT)}:{number}: {', '.join(names)}"
        for path in FILES
        for number, line in enumerate(path.read_text(errors="replace").splitlines(), 1)
        if (names := foreign(line, path.parent))
    ]
    assert offending == []


@pytest.mark.parametrize("line", ["see ../else/x", "cd /root/x", "as MISSING.md says", "/home/alice/test", "docs/gone.md", "csrc/gone.c"])
def test_a_foreign_reference_would_be_noticed(line: str) -> None:
    assert foreign(line)


@pytest.mark.parametrize("line", ["shared/x.c", "/usr/bin/env", "/tmp/x", "tests/README.md", "network/home/x", "~/home/x", "$HOME/work/x"])
def test_an_ordinary_path_is_no_foreign_reference(line: str) -> None:
    assert not foreign(line)
