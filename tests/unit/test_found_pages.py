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


def test_ten_of_them_are_new_bugs_with_an_effect_in_at_least_six_projects() -> None:
    """Not those that are meant, nor those that the maintainers knew."""
    statuses = {page: page.read_text("utf-8").partition("**Status.**")[2] for page in PAGES}
    new = [page for page, status in statuses.items() if "meant" not in status and "issue" not in status]
    assert len(new) >= 10 and len({page.stem.partition("-")[0] for page in new}) >= 6
