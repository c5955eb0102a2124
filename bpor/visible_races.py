"""Races that are explored: where one was found, plain accesses become operations, and the search begins again. All of them with
--races=explore; those about which machine code leaves a doubt (bpor/target/doubts.py); with --suppressions those that are known, because a
race that ends every execution hides what lies behind it. So does a misuse: a known one is a place of no bytes, named by the calls that led
there, and the runtime goes on behind it (csrc/runtime/end.c)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from bpor.knobs.values import visible_places
from bpor.lazy_dataclass import replace
from bpor.model.trace import Outcome
from bpor.search.result import Failure
from bpor.settings import Settings

MAX_VISIBLE = 64  # racing places that one search makes operations of (csrc/protocol/protocol.h)

Place = tuple[int, int]  # object, bytes


def _sure(failure: Failure) -> bool:
    return False


def with_races_visible(
    settings: Settings, failures: Sequence[Failure], known: Iterable[Failure] = (), doubtful: Callable[[Failure], bool] = _sure
) -> Settings | None:
    """Settings in which the places of these races are operations; None: there is nothing to add, or no room for it."""
    races = [failure for failure in failures if failure.trace.end.outcome is Outcome.RACE]
    raced = [failure for failure in races if settings.races == "explore" or (settings.races == "report" and doubtful(failure))]
    ends = [failure.trace.end for failure in (*raced, *known)]
    if not ends:
        return None
    visible = visible_places(settings.visible)
    places = joined((*visible, *((end.object, end.object_bytes) for end in ends)), gap=-1)
    if len(places) > MAX_VISIBLE:
        places = joined(places)
    if len(places) > MAX_VISIBLE or joined(places) == joined(visible):
        return None
    return replace(settings, visible=visible_text(places))


def visible_text(places: Iterable[Place]) -> str:
    """Of Settings.visible."""
    return ",".join(f"{identity:x}+{size}" for identity, size in places)


def joined(places: Iterable[Place], gap: int = 0) -> tuple[Place, ...]:
    """The same bytes in fewer places: neighbours become one. With a `gap` of -1 only those that overlap do, so that what is told does not
    depend on which of two races was seen first. A place of no bytes is a name, and stays alone."""
    merged: list[Place] = []
    for identity, size in sorted(set(places)):
        start, length = merged[-1] if merged else (0, 0)
        if size and length and identity <= start + length + gap:
            merged[-1:] = [(start, max(length, identity + size - start))]
        else:
            merged.append((identity, size))
    return tuple(merged)
