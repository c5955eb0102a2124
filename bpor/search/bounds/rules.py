"""The rule of each bound: one tree searches within one level."""

from __future__ import annotations

from collections.abc import Callable

from bpor.search.bounds.bound import Bound, Kind
from bpor.search.bounds.runahead import RunAhead
from bpor.search.engine.rule import Rule

_ALONE = (Kind.DEPTH, Kind.LOCAL_DEPTH, Kind.LOCAL_CONTEXT, Kind.LOCAL_PREEMPTION)


def rule_for(level: Bound) -> Rule:
    """The reduced search within a bound that has no ranges."""
    for term in level.terms:
        if term.kind in (Kind.CONTEXT, Kind.DELTA):
            return _beside_fair(term.kind)(term.high, level.value(Kind.FAIR))
        if term.kind in _ALONE:
            return _alone(term.kind)(term.high)
    return RunAhead(level.value(Kind.PREEMPTION), level.value(Kind.FAIR), level.value(Kind.STALE))


def _beside_fair(kind: Kind) -> Callable[[int, int | None], Rule]:
    from bpor.search.bounds.context import Context
    from bpor.search.bounds.delta import Delta

    return Context if kind is Kind.CONTEXT else Delta


def _alone(kind: Kind) -> Callable[[int], Rule]:
    from bpor.search.bounds.causal import LocalContext, LocalDepth, LocalPreemption
    from bpor.search.bounds.depth import Depth

    rules: dict[Kind, Callable[[int], Rule]] = {
        Kind.DEPTH: Depth,
        Kind.LOCAL_DEPTH: LocalDepth,
        Kind.LOCAL_CONTEXT: LocalContext,
        Kind.LOCAL_PREEMPTION: LocalPreemption,
    }
    return rules[kind]
