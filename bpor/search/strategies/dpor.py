"""dpor: dynamic partial-order reduction without a preemption bound (Flanagan, Godefroid, POPL 2005), with sleep sets, transitive reduction
and release optimisation: one execution per trace apart from a few redundant ones. A fair bound may be given for programs that spin.
"""

from __future__ import annotations

from bpor.errors import UsageError
from bpor.search.bounds.bound import Bound, BoundKind
from bpor.search.bounds.rules import rule_for
from bpor.search.options import SearchOptions
from bpor.search.strategies.ladder import Ladder


def dpor(bound: Bound, options: SearchOptions, seed: int) -> Ladder:
    if bound.kinds - {BoundKind.FAIR}:
        raise UsageError(f"--search dpor searches without a bound (or with fair:N), not within {bound}: use --search bpor")
    return Ladder(bound.levels(), rule_for, options)
