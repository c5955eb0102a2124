"""The rule of each bound: one tree searches within one level."""

from __future__ import annotations

from collections.abc import Callable

from bpor.search.bounds.bound import Bound, Kind
from bpor.search.bounds.causal import LocalContext, LocalDepth, LocalPreemption
from bpor.search.bounds.context import Context
from bpor.search.bounds.delta import Delta
from bpor.search.bounds.depth import Depth
from bpor.search.bounds.runahead import RunAhead
from bpor.search.engine.rule import Rule

_BESIDE_FAIR: dict[Kind, Callable[[int, int | None], Rule]] = {Kind.CONTEXT: Context, Kind.DELTA: Delta}
_ALONE: dict[Kind, Callable[[int], Rule]] = {
    Kind.DEPTH: Depth,
    Kind.LOCAL_DEPTH: LocalDepth,
    Kind.LOCAL_CONTEXT: LocalContext,
    Kind.LOCAL_PREEMPTION: LocalPreemption,
}


def rule_for(level: Bound) -> Rule:
    """The reduced search within a bound that has no ranges."""
    for term in level.terms:
        if term.kind in _BESIDE_FAIR:
            return _BESIDE_FAIR[term.kind](term.high, level.value(Kind.FAIR))
        if term.kind in _ALONE:
            return _ALONE[term.kind](term.high)
    return RunAhead(level.value(Kind.PREEMPTION), level.value(Kind.FAIR), level.value(Kind.STALE))
