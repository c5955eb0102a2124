"""Bound: which schedules are wanted, as a value. A *level* is a bound without ranges: what one tree searches.

Invariant: terms are sorted by kind and each kind occurs once, so equal bounds are equal values and print alike.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum
from itertools import product

from bpor.lazy_dataclass import dataclass
from bpor.model.plan import Limits


class BoundKind(Enum):
    """What is counted along a schedule. Fairness combines with one of the three that follow, `stale` with each and both; every other
    stands alone."""

    FAIR = "fair"
    PREEMPTION = "preemption"
    CONTEXT = "context"
    DELTA = "delta"
    DEPTH = "depth"
    LOCAL_DEPTH = "local-depth"
    LOCAL_CONTEXT = "local-context"
    LOCAL_PREEMPTION = "local-preemption"
    STALE = "stale"

    @property
    def experimental(self) -> bool:
        return self in (BoundKind.LOCAL_CONTEXT, BoundKind.LOCAL_PREEMPTION)  # no schedule shows what they count


_ORDER = {kind: position for position, kind in enumerate(BoundKind)}
_LIMITED = (
    *(BoundKind.PREEMPTION, BoundKind.FAIR, BoundKind.CONTEXT, BoundKind.DELTA),
    *(BoundKind.LOCAL_DEPTH, BoundKind.LOCAL_CONTEXT, BoundKind.LOCAL_PREEMPTION, BoundKind.STALE),
)  # as Limits has them
BESIDE_FAIR = frozenset({BoundKind.PREEMPTION, BoundKind.CONTEXT, BoundKind.DELTA})
BESIDE_STALE = frozenset({BoundKind.PREEMPTION, BoundKind.FAIR})
SEALABLE = frozenset({BoundKind.FAIR, BoundKind.PREEMPTION})
_NOUNS = {
    BoundKind.PREEMPTION: ("preemption", "preemptions"),
    BoundKind.CONTEXT: ("context switch", "context switches"),
    BoundKind.DELTA: ("delay", "delays"),
    BoundKind.DEPTH: ("step", "steps"),
    BoundKind.LOCAL_DEPTH: ("causally preceding step", "causally preceding steps"),
    BoundKind.LOCAL_CONTEXT: ("local context switch", "local context switches"),
    BoundKind.LOCAL_PREEMPTION: ("local preemption", "local preemptions"),
    BoundKind.STALE: ("old value", "old values"),
}


@dataclass(frozen=True, slots=True)
class Term:
    """`kind:low..high`, or `kind:high` when both are equal."""

    kind: BoundKind
    low: int
    high: int

    def __str__(self) -> str:
        return f"{self.kind.value}:{self.high}" if self.low == self.high else f"{self.kind.value}:{self.low}..{self.high}"


@dataclass(frozen=True, slots=True)
class Bound:
    terms: tuple[Term, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "terms", tuple(sorted(self.terms, key=lambda term: _ORDER[term.kind])))

    @staticmethod
    def of(preemption: int | None = None, fair: int | None = None, stale: int | None = None) -> Bound:
        """A level from the kinds that combine."""
        pairs = ((BoundKind.FAIR, fair), (BoundKind.PREEMPTION, preemption), (BoundKind.STALE, stale))
        return Bound(tuple(Term(kind, value, value) for kind, value in pairs if value is not None))

    def __str__(self) -> str:
        return ",".join(map(str, self.terms)) or "none"

    @property
    def is_none(self) -> bool:
        return not self.terms

    @property
    def kinds(self) -> frozenset[BoundKind]:
        return frozenset(term.kind for term in self.terms)

    def value(self, kind: BoundKind) -> int | None:
        """The largest value allowed for `kind`; None if it is not bounded."""
        return next((term.high for term in self.terms if term.kind is kind), None)

    @property
    def value_fair(self) -> int | None:
        return self.value(BoundKind.FAIR)

    def levels(self) -> Iterator[Bound]:
        """One bound without ranges per combination, the smallest first."""
        for values in product(*(range(term.low, term.high + 1) for term in self.terms)):
            yield Bound(tuple(Term(term.kind, value, value) for term, value in zip(self.terms, values, strict=True)))

    @property
    def limits(self) -> Limits:
        """For the plans of a tree within this level."""
        return Limits(*map(self.value, _LIMITED))

    def statement(self) -> str:
        """What completing it covers, in words: `all schedules with ≤ 2 preemptions (fair:2)`."""
        counted = [term for term in self.terms if term.kind is not BoundKind.FAIR]
        words = " and ".join(f"≤ {term.high} {_NOUNS[term.kind][term.high != 1]}" for term in counted)
        fair = self.value(BoundKind.FAIR)
        return "all schedules" + (f" with {words}" if words else "") + ("" if fair is None else f" (fair:{fair})")


NONE = Bound()
