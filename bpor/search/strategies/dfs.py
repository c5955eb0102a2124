"""dfs: every schedule within the bound, without any reduction. Slow and simple: what the reductions are measured against."""

from __future__ import annotations

from bpor.errors import UsageError
from bpor.search.bounds.bound import Bound, BoundKind
from bpor.search.bounds.depth import Depth
from bpor.search.bounds.runahead import Everything
from bpor.search.engine.rule import Rule
from bpor.search.options import SearchOptions
from bpor.search.strategies.ladder import Ladder

_KINDS = frozenset({BoundKind.PREEMPTION, BoundKind.FAIR, BoundKind.DEPTH})


def dfs(bound: Bound, options: SearchOptions, seed: int) -> Ladder:
    if bound.kinds - _KINDS:
        raise UsageError(f"--search dfs knows the bounds preemption, fair and depth, not {bound}")
    return Ladder(bound.levels(), _rule, options)


def _rule(level: Bound) -> Rule:
    depth = level.value(BoundKind.DEPTH)
    return Depth(depth) if depth is not None else Everything(level.value(BoundKind.PREEMPTION), level.value(BoundKind.FAIR))
