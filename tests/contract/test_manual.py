"""The manual page is made from the table of options: what is committed is what would be made now."""

from __future__ import annotations

from pathlib import Path

from bpor.cli.manual import manual_page

MANUAL = Path(__file__).resolve().parents[2] / "docs" / "bpor-native.1"


def test_the_manual_is_fresh() -> None:
    assert MANUAL.read_text(encoding="utf-8") == manual_page(), "refresh it: python -m bpor.cli.manual > docs/bpor-native.1"
