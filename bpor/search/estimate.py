"""How many executions the tree will take: Knuth's idea ("Estimating the efficiency of backtrack programs", 1975), in the
weighted form for depth-first search: a branch not yet tried costs what its tried siblings cost on average.

The spread replaces the average by the cheapest and by the dearest sibling. Backtrack points not yet discovered are not
foreseen, so early estimates are low; `high` says how low.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from bpor.lazy_dataclass import dataclass

_CEILING = 1e300  # a product of branchings may leave the floats


@dataclass(frozen=True, slots=True)
class Estimate:
    low: float
    expected: float
    high: float


def estimate(frames: Iterable[tuple[Sequence[int], int]]) -> Estimate:
    """`frames` from the deepest to the root: (executions below each finished branch, branches not yet tried).

    Every frame also has the one branch that is open, whose size comes from the frames below it.
    """
    low = expected = high = 1.0
    for sizes, untried in frames:
        if not sizes and not untried:
            continue
        done = float(sum(sizes))
        average = (done + expected) / (len(sizes) + 1)
        low = min(_CEILING, done + low + untried * min((low, *sizes)))
        high = min(_CEILING, done + high + untried * max((high, *sizes)))
        expected = min(_CEILING, done + expected + untried * average)
    return Estimate(low, expected, high)
