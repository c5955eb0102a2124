"""View: what has happened before some point: steps of each thread, and the latest store of each location that was written or read.

A view maps a thread to how many of its steps it covers, and a location to a place in its modification order. Views are immutable: a
memory is copied by copying references.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import TypeVar

Clock = Mapping[int, int]  # thread -> steps
NO_CLOCK: Clock = {}
_Number = TypeVar("_Number", int, Fraction)


class View:
    __slots__ = ("floors", "steps")

    def __init__(self, steps: Clock = NO_CLOCK, floors: Mapping[int, Fraction] | None = None) -> None:
        self.steps = steps
        self.floors: Mapping[int, Fraction] = floors if floors is not None else {}

    def joined(self, other: View) -> View:
        return View(latest(self.steps, other.steps), latest(self.floors, other.floors))

    def after_step(self, thread: int, number: int) -> View:
        return View({**self.steps, thread: number}, self.floors)

    def at_least(self, location: int, place: Fraction) -> View:
        if self.floors.get(location, Fraction(-1)) >= place:
            return self
        return View(self.steps, {**self.floors, location: place})


NOTHING = View()


def latest(a: Mapping[int, _Number], b: Mapping[int, _Number]) -> Mapping[int, _Number]:
    if not b or a is b:
        return a
    if not a:
        return b
    joined = dict(a)
    for key, value in b.items():
        if key not in joined or joined[key] < value:
            joined[key] = value
    return joined
