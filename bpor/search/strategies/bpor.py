"""bpor: bounded partial-order reduction, the search this project is named after (Coons, Musuvathi, McKinley, OOPSLA 2013)."""

from __future__ import annotations

from bpor.errors import UsageError
from bpor.search.bounds.bound import SEALABLE, Bound
from bpor.search.bounds.rules import rule_for
from bpor.search.options import SearchOptions
from bpor.search.strategies.ladder import Ladder


def bpor(bound: Bound, options: SearchOptions, seed: int) -> Ladder:
    sealed = options.sealed
    if sealed is None:
        return Ladder(bound.levels(), rule_for, options)
    if not bound.kinds <= SEALABLE:
        raise UsageError(f"--seal goes with the bounds fair and preemption, not with {bound}")
    from bpor.search.bounds.sealed import sealed_rule

    return Ladder(bound.levels(), lambda level: sealed_rule(level, sealed), options)
