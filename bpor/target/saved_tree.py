"""Reads a tree of the search beside the program (csrc/engine/save.c writes it) into the form that bpor/search/engine/tree_state.py
loads."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from bpor.model.frame_data import take_back
from bpor.model.operation import Footprint, ObjectAccess

_NO_THREAD = 0xFF


def saved_frames(words: Sequence[int], running: bool) -> tuple[list[dict[str, Any]], int]:
    """The frames, and the hash of the steps that lead to the last one. `running`: its choice is still to be run."""
    source = iter(words)
    count, step_hash = next(source), next(source)
    frames = [_frame(source) for _ in range(count)]
    if frames and running and frames[-1]["chosen"] is not None:
        take_back(frames[-1])
    return frames, step_hash


def saved_watch(words: Sequence[int]) -> Footprint | None:
    """Of the first choice of a subtree; None: it never sleeps."""
    if not words[0]:
        return None
    return tuple(ObjectAccess(words[at], bool(words[at + 2]), words[at + 1]) for at in range(2, 2 + 3 * words[1], 3))


def _frame(source: Iterator[int]) -> dict[str, Any]:
    backtrack, conservative, done, whole, exceeded, refused, chosen, runs_before = (next(source) for _ in range(8))
    return {
        "backtrack": backtrack,
        "conservative": conservative,
        "done": done,
        "whole": whole,
        "exceeded": bool(exceeded),
        "refused": bool(refused),
        "chosen": None if chosen == _NO_THREAD else chosen,
        "runs_before": runs_before,
        "sizes": sizes_of(*(next(source) for _ in range(4))),
        "enabled": next(source),
        "timed": next(source),
        "fair_blocked": next(source),
        "cost": next(source),
        "free": bool(next(source)),
        "alternative": next(source),
        "alternatives": next(source),
        "hash": next(source),
        "sleep": _watches(source),
        "watches": _watches(source) or None,
        "watch": _footprint(source) if next(source) else None,
        "kept": [next(source), _footprint(source) if next(source) else None],
    }


def sizes_of(count: int, total: int, least: int, most: int) -> list[int] | None:
    """Sizes with this number, sum, minimum and maximum: all that an estimate looks at."""
    if count < 2:
        return [total] if count else None
    share, rest = divmod(total - least - most, count - 2) if count > 2 else (0, 0)
    return [least, most, *[share + 1] * rest, *[share] * (count - 2 - rest)]


def _watches(source: Iterator[int]) -> list[tuple[int, list[tuple[int, bool, int]]]]:
    return [(next(source), _footprint(source)) for _ in range(next(source))]


def _footprint(source: Iterator[int]) -> list[tuple[int, bool, int]]:
    accesses = []
    for _ in range(next(source)):
        identity, size, write = next(source), next(source), next(source)
        accesses.append((identity, bool(write), size))
    return accesses
