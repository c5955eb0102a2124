"""The rule of each bound: one tree searches within one level."""

from __future__ import annotations

from collections.abc import Callable

from bpor.search.bounds.bound import Bound, BoundKind
from bpor.search.bounds.runahead import RunAhead
from bpor.search.engine.rule import Rule

_ALONE = (BoundKind.DEPTH, BoundKind.LOCAL_DEPTH, BoundKind.LOCAL_CONTEXT, BoundKind.LOCAL_PREEMPTION)


def rule_for(level: Bound) -> Rule:
    """The reduced search within a bound that has no ranges."""
    for term in level.terms:
        if term.kind in (BoundKind.CONTEXT, BoundKind.DELTA):
            return _beside_fair(term.kind)(term.high, level.value(BoundKind.FAIR))
        if term.kind in _ALONE:
            return _alone(term.kind)(term.high)
    return RunAhead(level.value(BoundKind.PREEMPTION), level.value(BoundKind.FAIR), level.value(BoundKind.STALE))


def _beside_fair(kind: BoundKind) -> Callable[[int, int | None], Rule]:
    from bpor.search.bounds.context import Context
    from bpor.search.bounds.delta import Delta

    return Context if kind is BoundKind.CONTEXT else Delta


def _alone(kind: BoundKind) -> Callable[[int], Rule]:
    from bpor.search.bounds.causal import LocalContext, LocalDepth, LocalPreemption
    from bpor.search.bounds.depth import Depth

    rules: dict[BoundKind, Callable[[int], Rule]] = {
        BoundKind.DEPTH: Depth,
        BoundKind.LOCAL_DEPTH: LocalDepth,
        BoundKind.LOCAL_CONTEXT: LocalContext,
        BoundKind.LOCAL_PREEMPTION: LocalPreemption,
    }
    return rules[kind]
