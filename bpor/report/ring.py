"""The round of a livelock as a ring: one dot for each step, clockwise, and a chord from what changes something to whoever looks at it.

Invariant: numbers and texts only; the page's template draws them and escapes what it writes.
"""

from __future__ import annotations

import math

from bpor.lazy_dataclass import dataclass
from bpor.report.finding import Finding
from bpor.report.text_line import clip
from bpor.report.trace_columns import cell

MOST = 60  # steps in a ring that can still be read
_COLOURS = 8
_RADIUS, _LABEL, _WIDTH, _HEIGHT = 120.0, 16.0, 800.0, 320.0
_WIDEST = 38  # characters of a label


@dataclass(frozen=True, slots=True)
class Dot:
    x: float
    y: float
    label_x: float
    label_y: float
    anchor: str  # of the label: start | end
    thread: int
    colour: int
    text: str


@dataclass(frozen=True, slots=True)
class Ring:
    width: float
    height: float
    radius: float
    dots: tuple[Dot, ...]
    chords: tuple[tuple[Dot, Dot], ...]  # from the step that changes something to the one that looks at it
    centre: str

    @property
    def middle(self) -> tuple[float, float]:
        return self.width / 2, self.height / 2


def ring_of(finding: Finding) -> Ring | None:
    """None: there is no round, or it is too long to be drawn."""
    part = finding.round
    if part is None or part.length > MOST:
        return None
    steps = finding.steps[part.start : part.start + part.length]
    colours = {thread.number: number % _COLOURS for number, thread in enumerate(part.threads)}
    dots: dict[int, Dot] = {}
    for number, step in enumerate(steps):
        angle = 2 * math.pi * number / len(steps) - math.pi / 2
        x, y = math.cos(angle), math.sin(angle)
        place = f" {step.site}" if step.site is not None else ""
        dots[step.index] = Dot(
            _tenths(_WIDTH / 2 + _RADIUS * x),
            _tenths(_HEIGHT / 2 + _RADIUS * y),
            _tenths(_WIDTH / 2 + (_RADIUS + _LABEL) * x),
            _tenths(_HEIGHT / 2 + (_RADIUS + _LABEL) * y + 4),
            "start" if x >= -1e-9 else "end",
            step.thread,
            colours.get(step.thread, 0),
            clip(f"T{step.thread} {cell(step)}{place}", _WIDEST),
        )
    looks = [look for thread in part.threads for look in thread.looks if look.undone_by is not None and look.in_round]
    chords = [(dots[look.undone_by.index], dots[look.step.index]) for look in looks if look.undone_by is not None]
    return Ring(_WIDTH, _HEIGHT, _RADIUS, tuple(dots.values()), tuple(chords), f"{part.length} steps")


def _tenths(value: float) -> float:
    return round(value, 1)
