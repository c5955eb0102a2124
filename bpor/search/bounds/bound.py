"""Bound: which schedules are wanted, as a value. A *level* is a bound without ranges: what one tree searches.

Invariant: terms are sorted by kind and each kind occurs once, so equal bounds are equal values and print alike.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum
from itertools import product

from bpor.lazy_dataclass import dataclass
from bpor.model.plan import Limits


class Kind(Enum):
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
        return self in (Kind.LOCAL_CONTEXT, Kind.LOCAL_PREEMPTION)  # no schedule shows what they count


_ORDER = {kind: position for position, kind in enumerate(Kind)}
_LIMITED = (
    *(Kind.PREEMPTION, Kind.FAIR, Kind.CONTEXT, Kind.DELTA),
    *(Kind.LOCAL_DEPTH, Kind.LOCAL_CONTEXT, Kind.LOCAL_PREEMPTION, Kind.STALE),
)  # as Limits has them
BESIDE_FAIR = frozenset({Kind.PREEMPTION, Kind.CONTEXT, Kind.DELTA})
BESIDE_STALE = frozenset({Kind.PREEMPTION, Kind.FAIR})
SEALABLE = frozenset({Kind.FAIR, Kind.PREEMPTION})
_NOUNS = {
    Kind.PREEMPTION: ("preemption", "preemptions"),
    Kind.CONTEXT: ("context switch", "context switches"),
    Kind.DELTA: ("delay", "delays"),
    Kind.DEPTH: ("step", "steps"),
    Kind.LOCAL_DEPTH: ("causally preceding step", "causally preceding steps"),
    Kind.LOCAL_CONTEXT: ("local context switch", "local context switches"),
    Kind.LOCAL_PREEMPTION: ("local preemption", "local preemptions"),
    Kind.STALE: ("old value", "old values"),
}


@dataclass(frozen=True, slots=True)
class Term:
    """`kind:low..high`, or `kind:high` when both are equal."""

    kind: Kind
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
        pairs = ((Kind.FAIR, fair), (Kind.PREEMPTION, preemption), (Kind.STALE, stale))
        return Bound(tuple(Term(kind, value, value) for kind, value in pairs if value is not None))

    def __str__(self) -> str:
        return ",".join(map(str, self.terms)) or "none"

    @property
    def is_none(self) -> bool:
        return not self.terms

    @property
    def kinds(self) -> frozenset[Kind]:
        return frozenset(term.kind for term in self.terms)

    def value(self, kind: Kind) -> int | None:
        """The largest value allowed for `kind`; None if it is not bounded."""
        return next((term.high for term in self.terms if term.kind is kind), None)

    @property
    def value_fair(self) -> int | None:
        return self.value(Kind.FAIR)

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
        counted = [term for term in self.terms if term.kind is not Kind.FAIR]
        words = " and ".join(f"≤ {term.high} {_NOUNS[term.kind][term.high != 1]}" for term in counted)
        fair = self.value(Kind.FAIR)
        return "all schedules" + (f" with {words}" if words else "") + ("" if fair is None else f" (fair:{fair})")


NONE = Bound()
