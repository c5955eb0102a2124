"""Checksums of what is kept: a record that was cut, edited or mixed with another one is told from one that is whole.

They guard against accidents (a crash, a disk, an editor, a merge), not against somebody who computes them anew.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable
from typing import Any, BinaryIO

KEY = "checksum"


def of_parts(parts: Iterable[str | bytes | int]) -> str:
    """Of a sequence: with kinds and lengths, so that no other sequence has the same bytes."""
    digest = hashlib.sha256()
    for part in parts:
        data = part if isinstance(part, bytes) else str(part).encode("utf-8", "surrogateescape")
        digest.update(f"{type(part).__name__} {len(data)} ".encode())
        digest.update(data)
    return digest.hexdigest()


def of_document(document: dict[str, Any]) -> str:
    """Of a JSON object, but for the checksum in it; however it is laid out."""
    return of_parts([json.dumps({key: value for key, value in document.items() if key != KEY}, sort_keys=True)])


def with_checksum(document: dict[str, Any]) -> dict[str, Any]:
    return {**document, KEY: of_document(document)}


def is_whole(document: dict[str, Any]) -> bool:
    return document.get(KEY) == of_document(document)


_known: dict[tuple[int, ...], str] = {}  # files that were read before, by what changes with what they hold


def of_file(path: str) -> str:
    """Of what a file holds; empty if it cannot be read."""
    try:
        with open(path, "rb") as stream:
            facts = os.fstat(stream.fileno())
            key = facts.st_dev, facts.st_ino, facts.st_size, facts.st_mtime_ns, facts.st_ctime_ns
            if key not in _known:
                _known[key] = _of_stream(stream)
            return _known[key]
    except OSError:
        return ""


def _of_stream(stream: BinaryIO) -> str:
    digest = hashlib.sha256()
    while block := stream.read(1 << 20):
        digest.update(block)
    return digest.hexdigest()
