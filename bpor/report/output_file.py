"""Report files: written whole or not at all, and known to be writable before the search, not after ten minutes of it."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from bpor.errors import UsageError


def require_writable(flag: str, path: str | None) -> None:
    """Raises UsageError. Changes nothing: a file that is there keeps its contents until the new ones are complete."""
    if path is None:
        return
    target = Path(path)
    try:
        if target.exists() and not target.is_file():
            with open(target, "ab"):  # a device or a pipe: there is nothing to replace
                return
        with tempfile.TemporaryFile(dir=target.parent):
            pass
        if target.exists():
            open(target, "ab").close()
    except OSError as error:
        raise UsageError(f"{flag} {path}: {error.strerror}") from None


def write_whole(path: str, text: str) -> None:
    """The new contents or, on a full disk, the old ones. Raises UsageError."""
    data = text.encode("utf-8", "backslashreplace")
    target = Path(path)
    partial = target.with_name(f"{target.name}.{os.getpid()}.partial")
    try:
        if target.exists() and not target.is_file():
            target.write_bytes(data)
            return
        try:
            partial.write_bytes(data)
            os.replace(partial, target)
        finally:
            partial.unlink(missing_ok=True)
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}; what was there before is unchanged") from None
