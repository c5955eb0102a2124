"""Files that came from elsewhere: read with a limit, parsed as JSON, checked field by field. A damaged one is an error in one line."""

from __future__ import annotations

import json
import os
import stat
from typing import Any, TypeVar

from bpor.errors import UsageError

T = TypeVar("T")


class DamagedFile(UsageError):
    """The file is not what it should be."""


def read_json(path: str | os.PathLike[str], limit: int) -> dict[str, Any]:
    name = os.fspath(path)
    try:
        descriptor = os.open(name, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)  # a fifo must not make us wait
    except OSError as error:
        raise UsageError(f"{name}: {error.strerror}") from None
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise UsageError(f"{name}: not a regular file")
    with open(descriptor, "rb") as stream:
        data = stream.read(limit + 1)
    if len(data) > limit:
        raise DamagedFile(f"{name}: larger than {limit} bytes")
    try:
        value = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise DamagedFile(f"{name}: damaged: {error}") from None
    if not isinstance(value, dict):
        raise DamagedFile(f"{name}: damaged: not a JSON object")
    return value


def field(value: dict[str, Any], key: str, kind: type[T], name: str) -> T:
    """`value[key]`, which must be there and of this type."""
    found = value.get(key)
    if not isinstance(found, kind) or (kind is int and isinstance(found, bool)):
        raise DamagedFile(f"{name}: damaged: {key!r} is {'missing' if found is None else 'not what it should be'}")
    return found
