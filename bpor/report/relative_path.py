"""A file's path as a report names it: relative to where the project is, if it lies below that."""

from __future__ import annotations

import os


def relative_path(file: str, root: str | None = None) -> str:
    """`root`: default where we are. A name that no file can have stays as it is."""
    if "\0" in file:
        return file
    base, path = os.path.realpath(root or os.getcwd()), os.path.realpath(file)
    return os.path.relpath(path, base) if path.startswith(base.rstrip("/") + "/") else path
