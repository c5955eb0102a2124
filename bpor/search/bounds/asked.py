"""Base of the bounds the runtime does not know: it asks for every step after the prefix, and a stop there means over bound.

No sleep sets: they are unsound for the context bound (erratum E15) and untested for the others.
"""

from __future__ import annotations

from bpor.model.trace import Outcome
from bpor.search.engine.rule import Rule


class Asked(Rule):
    sleeps = False
    release_optimisation = False

    def outcome(self, outcome: Outcome) -> Outcome:
        return Outcome.OVER_BOUND if outcome is Outcome.STOPPED else outcome


def lowest(mask: int) -> int:
    """The lowest thread of a mask that is not empty."""
    return (mask & -mask).bit_length() - 1
