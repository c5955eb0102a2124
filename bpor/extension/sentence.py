"""An exception in one sentence: `file:line: function: text`, as assert() in C has it. Standard library only: see run_script.py."""

from __future__ import annotations

import linecache
import os
from types import TracebackType

from bpor.model.trace import RAISED

_OURS = os.path.dirname(os.path.abspath(__file__))


def sentence(error: BaseException, says_it_all: bool = False) -> str:
    """`says_it_all`: its own text needs no introduction. The text of an exception that is no assertion begins with "raised"."""
    place, source, by_unittest = _innermost(error.__traceback__)
    lines = str(error).splitlines() or [""]
    if says_it_all:
        return f"{place}{lines[0]}"
    if isinstance(error, AssertionError) and not by_unittest:  # whose text says what is, not what ought to be
        told = next((line for line in lines if line.startswith("assert ")), lines[0])  # the test's own message comes before it
        return f"{place}{(told or source).removeprefix('assert ')}"
    return f"{place}{RAISED}{type(error).__name__}{': ' * bool(lines[0])}{lines[0]}"


def _innermost(traceback: TracebackType | None) -> tuple[str, str, bool]:
    """The innermost frame that is neither ours nor unittest's: its place, and the line there; whether there are unittest's inside of it."""
    place, source, by_unittest = "", "", False
    while traceback is not None:
        code = traceback.tb_frame.f_code
        by_unittest = "__unittest" in traceback.tb_frame.f_globals
        if os.path.dirname(code.co_filename) != _OURS and not by_unittest:
            place = f"{code.co_filename}:{traceback.tb_lineno}: {code.co_name}: "
            source = linecache.getline(code.co_filename, traceback.tb_lineno).strip()
        traceback = traceback.tb_next
    return place, source, by_unittest
