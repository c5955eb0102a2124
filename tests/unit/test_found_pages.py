"""docs/found: a page for each bug that was found has everything that its maintainers need."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

PAGES = sorted((Path(__file__).parents[2] / "docs" / "found").glob("*.md"))
PARTS = {
    "the version": r"^Version: ",
    "a minimal test": r"^```(c|cpp|python)$|^Version: .*\bTest: \[",
    "the report as it was printed": r"^```text\n(race|memory|crash|deadlock|misuse|livelock|assertion): ",
    "a replay line": r"bpor-native replay '|--bpor-replay=",
    "how often it was repeated": r"100 of 100",
    "why the program is wrong": r"program is\s+wrong, not the\s+tool",
    "an analysis": r"^\*\*Analysis\.\*\* ",
    "a fix": r"^\*\*Fix\.\*\* ",
    "its status": r"\*\*Status\.\*\* ",
}


@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_page_of_a_found_bug_has(page: Path, part: str) -> None:
    assert re.search(PARTS[part], page.read_text("utf-8"), re.MULTILINE)


def test_ten_pages_tell_of_bugs_in_as_many_projects() -> None:
    assert len(PAGES) >= 10
