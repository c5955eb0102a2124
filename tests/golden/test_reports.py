"""Report texts against the files in reports/. `BPOR_UPDATE_GOLDEN=1 pytest tests/golden` writes them anew: read the diff."""

from __future__ import annotations

import os
import pickle
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from bpor.report.finding import Finding
from bpor.report.text import text_report
from tests.golden.stories import STORIES

REPORTS = Path(__file__).parent / "reports"
pytestmark = pytest.mark.needs("gcc")
Story = Callable[[Path], Finding]
each_story = pytest.mark.parametrize("story", STORIES, ids=lambda story: story.__name__)


@each_story
def test_a_report_reads_as_its_golden_file(story: Story, tmp_path: Path) -> None:
    text = text_report(story(tmp_path))
    golden = REPORTS / f"{story.__name__}.txt"
    if os.environ.get("BPOR_UPDATE_GOLDEN"):
        golden.write_text(text)
    assert text == golden.read_text()


@each_story
@pytest.mark.parametrize("width", [60, 80, 100])
def test_a_report_fits_its_width_but_for_the_line_to_paste(story: Story, width: int, tmp_path: Path) -> None:
    finding = story(tmp_path)
    for line in text_report(finding, width=width).splitlines():
        assert len(line) <= width or finding.replay in line or line.startswith("SUMMARY"), line


@each_story
def test_colour_changes_nothing_but_the_colour(story: Story, tmp_path: Path) -> None:
    finding = story(tmp_path)
    coloured = text_report(finding, colour=True)
    assert "\x1b[" in coloured
    without = re.sub(r"\x1b\[[0-9;]*m", "", coloured)
    assert [line.rstrip() for line in without.splitlines()] == text_report(finding).splitlines()


@each_story
def test_a_report_in_ascii_keeps_its_shape(story: Story, tmp_path: Path) -> None:
    finding = story(tmp_path)
    text = text_report(finding, ascii_only=True)
    assert text.isascii()
    assert [len(line) for line in text.splitlines()] == [len(line) for line in text_report(finding).splitlines()]


@each_story
def test_a_finding_survives_pickling(story: Story, tmp_path: Path) -> None:
    finding = story(tmp_path)
    assert text_report(pickle.loads(pickle.dumps(finding))) == text_report(finding)


def test_every_golden_file_has_its_story() -> None:
    assert {path.stem for path in REPORTS.glob("*.txt")} == {story.__name__ for story in STORIES}
