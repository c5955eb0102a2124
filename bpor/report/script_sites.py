"""Python frames as places in the source: where in a script a thread was when it came to an operation.

Frames of the interpreter's library and of the tool itself are between the user's code and the thread, not what a reader looks for.
"""

from __future__ import annotations

import os
import sysconfig
from collections.abc import Sequence
from itertools import pairwise

from bpor.model.trace import ScriptFrame
from bpor.report.finding import SourceSite
from bpor.report.symbols_source import printable, source_line

_OURS = os.path.dirname(os.path.dirname(__file__)) + os.sep
_LIBRARY = sysconfig.get_path("stdlib") + os.sep
_PACKAGES = ("site-packages", "dist-packages")
_RUNNERS = ("_pytest", "pluggy", "xdist", "execnet")


def innermost(frames: Sequence[ScriptFrame]) -> SourceSite | None:
    """The user's own frame that a thread is in."""
    frame = next(filter(_is_users, frames), None)
    if frame is None:
        return None
    return SourceSite(printable(frame.file), frame.line, printable(frame.function), source_line(frame.file, frame.line))


def outermost_name(frames: Sequence[ScriptFrame]) -> str:
    """What the thread runs: its outermost function of the user's, by its name, or by its place if it has none."""
    frame = next(filter(_is_users, reversed(frames)), None)
    if frame is None:
        return ""
    return f"{os.path.basename(frame.file)}:{frame.line}" if frame.function.startswith("<") else printable(frame.function)


def _is_users(frame: ScriptFrame) -> bool:
    if frame.file.startswith((_OURS, "<frozen ")):
        return False
    parts = frame.file.split(os.sep)
    if any(name in parts for name in _PACKAGES):
        return not any(name in parts for name in _RUNNERS)
    return not frame.file.startswith(_LIBRARY) and not _is_in_library(parts)


def _is_in_library(parts: Sequence[str]) -> bool:
    """Of another interpreter than the controller's: lib/python3.12/threading.py."""
    return any(one == "lib" and other.startswith("python3") for one, other in pairwise(parts))
