"""The tables of known steps, which double in place."""

from __future__ import annotations

import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SOURCE = Path(__file__).with_name("known_table.c")


def test_what_was_entered_is_found_however_often_a_table_doubled(tmp_path: Path) -> None:
    program = tmp_path / "known_table"
    subprocess.run(["cc", "-O1", "-std=gnu11", f"-I{ROOT / 'csrc'}", SOURCE, "-o", program], check=True)
    assert subprocess.run([program], capture_output=True, text=True, check=True).stdout == "0 0 0\n"
