"""What is known of a system call stands in one row of csrc/process/system_calls.def."""

from __future__ import annotations

import re
from pathlib import Path

CSRC = Path(__file__).resolve().parents[2] / "csrc"
ROWS = re.findall(r"^(?:CALL|ABSENT|REFUSED)\((\w+)", (CSRC / "process/system_calls.def").read_text(), re.M)


def test_no_system_call_has_two_rows() -> None:
    assert len(ROWS) > 100 and len(ROWS) == len(set(ROWS))


def test_no_other_file_has_a_table_of_system_calls() -> None:
    """A switch over calls that act is no table: each of its cases does something of its own."""
    table = re.compile(r"\[SYS_\w+\] *=|\{ *SYS_\w+ *,|(?:case SYS_\w+:\s*){6}")
    assert [path for path in CSRC.rglob("*.[ch]") if table.search(path.read_text())] == []
