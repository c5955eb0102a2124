"""Plots as SVG text, without any library: lines over two axes, bars, and plots side by side.

Invariant: a pure function of its data; the same data gives the same bytes. Colours are told apart by the colour-blind (Okabe and Ito 2008).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from xml.sax.saxutils import escape

from bpor.lazy_dataclass import dataclass

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#999933")
WIDTH, HEIGHT = 640, 400
_LEFT, _RIGHT, _TOP, _BOTTOM = 70, 170, 40, 50

Points = Sequence[tuple[float, float]]


@dataclass(frozen=True, slots=True)
class Axis:
    label: str
    log: bool = False

    def scale(self, values: Sequence[float]) -> _Scale:
        return _Scale(values, self.log)


class _Scale:
    """From values to 0..1."""

    def __init__(self, values: Sequence[float], log: bool) -> None:
        self._log = log
        usable = [value for value in values if value > 0] if log else list(values)
        low, high = (min(usable), max(usable)) if usable else (0.0, 1.0)
        self._low, self._high = min(0.0, low), high
        if log:
            self._low, self._high = float(math.floor(math.log10(low or 1))), float(math.ceil(math.log10(high or 1)))
        if self._high == self._low:
            self._high += 1

    def at(self, value: float) -> float:
        if self._log:
            value = math.log10(value) if value > 0 else self._low
        return (value - self._low) / (self._high - self._low)

    def ticks(self) -> list[float]:
        if self._log:
            step = max(1, round((self._high - self._low) / 6))
            return [10.0**power for power in range(int(self._low), int(self._high) + 1, step)]
        span = self._high - self._low
        step_size = 10.0 ** math.floor(math.log10(span / 4))
        step_size *= next(factor for factor in (1, 2, 5, 10) if span / (step_size * factor) <= 6)
        first = math.ceil(self._low / step_size)
        return [index * step_size for index in range(first, math.floor(self._high / step_size) + 1)]


def lines(title: str, x: Axis, y: Axis, series: Mapping[str, Points]) -> str:
    """One line per series, with its name beside the plot."""
    across = x.scale([point[0] for points in series.values() for point in points])
    up = y.scale([point[1] for points in series.values() for point in points])
    width, height = WIDTH - _LEFT - _RIGHT, HEIGHT - _TOP - _BOTTOM

    def place(point: tuple[float, float]) -> tuple[float, float]:
        return _LEFT + across.at(point[0]) * width, _TOP + (1 - up.at(point[1])) * height

    body = [_text(WIDTH / 2, 20, title, "middle", 14)]
    for tick in across.ticks():
        at = _LEFT + across.at(tick) * width
        body += [_line(at, _TOP, at, _TOP + height, "#dddddd"), _text(at, _TOP + height + 16, _number(tick), "middle")]
    for tick in up.ticks():
        at = _TOP + (1 - up.at(tick)) * height
        body += [_line(_LEFT, at, _LEFT + width, at, "#dddddd"), _text(_LEFT - 6, at + 4, _number(tick), "end")]
    body += [_text(_LEFT + width / 2, HEIGHT - 12, x.label, "middle"), _upright(16, _TOP + height / 2, y.label)]
    for index, (name, points) in enumerate(series.items()):
        colour = COLOURS[index % len(COLOURS)]
        placed = [place(point) for point in points]
        path = " ".join(f"{px:.1f},{py:.1f}" for px, py in placed)
        dash = ' stroke-dasharray="6 3"' if index >= len(COLOURS) else ""
        body.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"{dash}/>')
        body += [f'<circle cx="{px:.1f}" cy="{py:.1f}" r="2.5" fill="{colour}"/>' for px, py in placed]
        at = _TOP + 14 + 18 * index
        body += [_line(WIDTH - _RIGHT + 12, at - 4, WIDTH - _RIGHT + 32, at - 4, colour, 3), _text(WIDTH - _RIGHT + 38, at, name)]
    return _svg(WIDTH, HEIGHT, body)


def bars(title: str, names: Sequence[str], panels: Mapping[str, Sequence[float]]) -> str:
    """One panel per quantity, one bar per name, each panel with its own scale."""
    row, label, panel = 20, 190, 200
    width, height = label + panel * len(panels) + 20, 60 + row * len(names) + 20
    body = [_text(width / 2, 20, title, "middle", 14)]
    body += [_text(label - 8, 60 + row * index + 14, name, "end") for index, name in enumerate(names)]
    for column, (quantity, values) in enumerate(panels.items()):
        left, most = label + panel * column, max([*values, 0]) or 1
        body.append(_text(left, 48, quantity))
        for index, value in enumerate(values):
            length, top = value / most * (panel - 70), 60 + row * index
            colour = COLOURS[index % len(COLOURS)]
            body.append(f'<rect x="{left}" y="{top + 3}" width="{length:.1f}" height="{row - 6}" fill="{colour}"/>')
            body.append(_text(left + length + 4, top + 14, _number(value)))
    return _svg(width, height, body)


def side_by_side(plots: Sequence[str], columns: int = 2) -> str:
    """Plots of `lines` as one, row by row."""
    rows = math.ceil(len(plots) / columns)
    body = [
        plot.replace("<svg ", f'<svg x="{index % columns * WIDTH}" y="{index // columns * HEIGHT}" width="{WIDTH}" height="{HEIGHT}" ', 1)
        for index, plot in enumerate(plots)
    ]
    return _svg(WIDTH * min(columns, max(len(plots), 1)), HEIGHT * max(rows, 1), body)


def _svg(width: float, height: float, body: Sequence[str]) -> str:
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="sans-serif" font-size="11">'
    return "\n".join([head, f'<rect width="{width}" height="{height}" fill="white"/>', *body, "</svg>", ""])


def _text(x: float, y: float, text: str, anchor: str = "start", size: int = 11) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="{size}">{escape(text)}</text>'


def _upright(x: float, y: float, text: str) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="middle" transform="rotate(-90 {x:.1f} {y:.1f})">{escape(text)}</text>'


def _line(x1: float, y1: float, x2: float, y2: float, colour: str, width: int = 1) -> str:
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{colour}" stroke-width="{width}"/>'


def _number(value: float) -> str:
    if value and abs(value) < 0.01:
        return f"{value:.0e}"
    return f"{value:,.0f}" if value == int(value) else f"{value:.3g}"
