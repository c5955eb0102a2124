"""One version: of the package, of the changelog, and of the tag if this commit has one."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

from bpor.version import VERSION

ROOT = Path(__file__).resolve().parents[2]


def test_the_first_heading_of_the_changelog_is_the_version() -> None:
    headings = re.findall(r"^## (\S+)", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)
    assert headings[0] == VERSION
    assert re.fullmatch(r"\d+\.\d+\.\d+", VERSION)


def test_a_commit_that_is_tagged_has_the_version_of_its_tag() -> None:
    told = subprocess.run(["git", "tag", "--points-at", "HEAD", "v*"], cwd=ROOT, capture_output=True, text=True)
    assert set(told.stdout.split()) <= {f"v{VERSION}"}
