"""How far a search scales, on paper: the protocol of bpor/search/engine/trunk.py, bpor/target/crew.py and bpor/target/pace.py, with costs
that were measured and the real subtrees of programs, for any number of workers.

A round: the client gives an order to every member (one message each, one after the other), they search until a batch is over or those that
have nothing left have waited as long, together, as a round costs all, and their answers are taken one after the other. Idle members get a
branch that is split off the largest part.
"""

from __future__ import annotations

import heapq
import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Costs:
    """Seconds."""

    message: float  # of the client's time, for an order and its answer
    latency: float  # one way
    execution: float
    batch: float = 1.0  # at most, unless a pause between two takes more than a tenth of it ...
    short: float = 0.2  # ... and while somebody has nothing to do from the start
    longest: float = 30.0


def depths(prefixes: Sequence[Sequence[int]]) -> list[int]:
    """Of each execution but the first: how many steps it shares with the one before it, in depth-first order. Where that is least, the tree
    parts nearest to its root."""
    return [_alike(before, now) for before, now in itertools.pairwise(prefixes)]


def _alike(one: Sequence[int], other: Sequence[int]) -> int:
    pairs = enumerate(zip(one, other, strict=False))
    return next((at for at, (here, there) in pairs if here != there), min(len(one), len(other)))


Part = tuple[int, int]  # executions, in depth-first order: from, to


def split(part: Part, shared: Sequence[int]) -> list[Part]:
    """The parts of what is left below the first state at which more than one thing is left; the first one is what is being searched."""
    begin, end = part
    if end - begin < 2:
        return [part]
    least = min(shared[begin : end - 1])
    cuts = [at + 1 for at in range(begin, end - 1) if shared[at] == least]
    return [*zip([begin, *cuts], [*cuts, end], strict=True)]


def seconds(shared: Sequence[int], workers: int, costs: Costs) -> float:
    """Until every execution was made."""
    parts: list[Part | None] = [(0, len(shared) + 1)] + [None] * (workers - 1)
    waiting: list[tuple[int, Part]] = []  # the largest first
    total, left = 0.0, len(shared) + 1
    while left:
        _share_out(parts, waiting, shared)
        busy = [number for number, part in enumerate(parts) if part is not None]
        sizes = [part[1] - part[0] for part in parts if part is not None]
        pause = len(busy) * costs.message + 2 * costs.latency
        lasts = max(costs.batch if len(busy) == workers else costs.short, min(10 * pause, costs.longest))
        most = max(1, math.ceil(min(lasts, patience([size * costs.execution for size in sizes], workers * pause)) / costs.execution))
        for number in busy:
            part = parts[number]
            assert part is not None
            made = min(most, part[1] - part[0])
            left -= made
            parts[number] = (part[0] + made, part[1]) if part[0] + made < part[1] else None
        total += pause + min(most, max(sizes)) * costs.execution
    return total


def patience(ends: Sequence[float], price: float) -> float:
    """When those that are done have waited as long, all together, as `price` says; `ends`: when each is done."""
    now = waited = 0.0
    for waiting, end in enumerate(sorted(ends)):
        if waiting and waited + waiting * (end - now) >= price:
            return now + (price - waited) / waiting
        now, waited = end, waited + waiting * (end - now)
    return now


def _share_out(parts: list[Part | None], waiting: list[tuple[int, Part]], shared: Sequence[int]) -> None:
    for number, part in enumerate(parts):
        if part is not None:
            continue
        if not waiting:
            largest = max((one for one in range(len(parts)) if parts[one] is not None), key=lambda one: _size(parts[one]), default=None)
            if largest is None or _size(parts[largest]) < 2:
                return
            first, *others = split(parts[largest], shared)  # type: ignore[arg-type]
            parts[largest] = first
            for other in others:
                heapq.heappush(waiting, (-_size(other), other))
        parts[number] = heapq.heappop(waiting)[1]


def _size(part: Part | None) -> int:
    return 0 if part is None else part[1] - part[0]
