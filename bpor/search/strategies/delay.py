"""delay: delay-bounded search (Emmi, Qadeer, Rakamaric, POPL 2011): a round-robin scheduler that is diverted up to `delta` times.

Without a bound the number of delays grows from 0 until it no longer matters.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count

from bpor.errors import UsageError
from bpor.search.bounds.bound import Bound, BoundKind, Term
from bpor.search.bounds.delta import Delays
from bpor.search.engine.rule import Rule
from bpor.search.options import SearchOptions
from bpor.search.strategies.ladder import Ladder


def delay(bound: Bound, options: SearchOptions, seed: int) -> Ladder:
    if bound.kinds - {BoundKind.DELTA}:
        raise UsageError(f"--search delay takes the bound delta:N (or LOW..HIGH), not {bound}")
    return Ladder(_growing() if bound.is_none else bound.levels(), _rule, options)


def _growing() -> Iterator[Bound]:
    for delays in count():
        yield Bound((Term(BoundKind.DELTA, delays, delays),))


def _rule(level: Bound) -> Rule:
    delays = level.value(BoundKind.DELTA)
    assert delays is not None
    return Delays(delays)
