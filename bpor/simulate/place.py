"""The place of a thread: where its code stands and what its local variables hold, as a value.

Two threads of one program at the same place do the same from there on, however they came to it; a node of the unrolled code, in contrast,
remembers the whole way. Invariant: code keeps what matters in local variables (a loop over a range has its counter there).
"""

from __future__ import annotations

from collections.abc import Generator, Hashable
from dataclasses import fields, is_dataclass
from enum import Enum
from functools import partial
from types import FunctionType
from typing import Any


def place_of(generator: Generator[Any, Any, None]) -> Hashable:
    """Of a generator that waits at a yield: every frame down to the innermost."""
    frames: list[Hashable] = []
    inner: Any = generator
    while inner is not None and getattr(inner, "gi_frame", None) is not None:
        frame = inner.gi_frame
        variables = tuple((name, frozen(value)) for name, value in sorted(frame.f_locals.items()))
        frames.append((id(inner.gi_code), frame.f_lasti, variables))
        inner = inner.gi_yieldfrom
    return tuple(frames)


def frozen(value: Any) -> Hashable:
    """A value that equals another's iff both hold the same."""
    if value is None or isinstance(value, int | str | bytes | float | Enum):
        return value
    if isinstance(value, tuple | list):
        return type(value).__name__, tuple(frozen(each) for each in value)
    if isinstance(value, dict):
        return tuple(sorted((repr(key), frozen(each)) for key, each in value.items()))
    if isinstance(value, FunctionType | partial):
        return id(value)
    if is_dataclass(value) and not isinstance(value, type):
        if hasattr(value, "words") and hasattr(value, "site"):  # an operation of the notation: its site tells it apart
            return value.site, value.words
        return tuple(frozen(getattr(value, each.name)) for each in fields(value))
    return id(value)
