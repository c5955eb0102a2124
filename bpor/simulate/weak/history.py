"""History: the stores of one location in modification order, and what each passes on to who reads it."""

from __future__ import annotations

from collections.abc import Hashable
from fractions import Fraction

from bpor.lazy_dataclass import dataclass, field
from bpor.simulate.weak.view import NOTHING, Clock, View

Who = tuple[int, int]  # a thread, and which of its steps
NOBODY: Who = (-1, 0)


@dataclass(frozen=True, slots=True)
class WeakStore:
    value: Hashable
    who: Who
    place: Fraction  # in modification order
    released: View = NOTHING  # what an acquiring read of it has seen
    causal: Clock = field(default_factory=dict)  # what happens before it, as the search orders steps
    attached: bool = False  # it read the store right before it: nothing comes between


History = tuple[WeakStore, ...]


def first(value: Hashable) -> History:
    """What was there before everything."""
    return (WeakStore(value, NOBODY, Fraction(0)),)


def place_after(history: History, position: int) -> Fraction:
    """Of a store right after the one at `position`."""
    below = history[position].place
    return below + 1 if position + 1 == len(history) else (below + history[position + 1].place) / 2


def inserted(history: History, position: int, store: WeakStore) -> History:
    return (*history[: position + 1], store, *history[position + 1 :])
