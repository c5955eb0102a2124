"""The text form of a bound: `fair:2,preemption:2`, `preemption:0..3`, `none`.

Invariant: parse_bound(str(bound)) == bound; anything else that is not a bound is a UsageError that shows the grammar.
"""

from __future__ import annotations

import re

from bpor.errors import UsageError
from bpor.search.bounds.bound import BESIDE_FAIR, BESIDE_STALE, NONE, Bound, BoundKind, Term

MAX_VALUE = 1_000_000  # a bound is input: nobody means more, and a range must not eat the memory
MAX_LEVELS = 1_000

GRAMMAR = f"""\
BOUND = none | TERM[,TERM]
TERM  = KIND:N | KIND:LOW..HIGH      (a range: every completed level is reported)
KIND  = {" | ".join(kind.value + (" (experimental)" if kind.experimental else "") for kind in BoundKind)}
fair combines with preemption, context or delta; examples: preemption:2   fair:2,preemption:0..3   fair:2,context:3"""

_TERM = re.compile(r"([a-z-]+):(\d{1,7})(?:\.\.(\d{1,7}))?", re.ASCII)
_KINDS = {kind.value: kind for kind in BoundKind}


def parse_bound(text: str) -> Bound:
    """Raises UsageError with the reason and the grammar."""
    text = text.strip()
    if text == "none":
        return NONE
    terms = tuple(_parse_term(text, part.strip()) for part in text.split(","))
    kinds = [term.kind for term in terms]
    if len(set(kinds)) != len(kinds):
        raise _malformed(text, "a kind is given twice")
    counted = set(kinds) - {BoundKind.STALE}
    if BoundKind.STALE in kinds and not counted <= BESIDE_STALE:
        raise _malformed(text, f"stale combines with {' and '.join(sorted(kind.value for kind in BESIDE_STALE))}")
    if len(counted) > 1 and not (len(counted) == 2 and BoundKind.FAIR in counted and BESIDE_FAIR & counted):
        raise _malformed(text, f"only fair combines, with one of {', '.join(sorted(kind.value for kind in BESIDE_FAIR))}")
    bound = Bound(terms)
    levels = 1
    for term in terms:
        levels *= term.high - term.low + 1
    if levels > MAX_LEVELS:
        raise _malformed(text, f"more than {MAX_LEVELS} levels")
    return bound


def _parse_term(text: str, part: str) -> Term:
    match = _TERM.fullmatch(part)
    if match is None:
        raise _malformed(text, f"{part!r} is not KIND:N")
    kind = _KINDS.get(match[1])
    if kind is None:
        raise _malformed(text, f"there is no kind {match[1]!r}")
    low = int(match[2])
    high = int(match[3]) if match[3] is not None else low
    if high < low:
        raise _malformed(text, f"the range {part!r} is empty")
    if high > MAX_VALUE:
        raise _malformed(text, f"{high} is more than {MAX_VALUE}")
    return Term(kind, low, high)


def _malformed(text: str, reason: str) -> UsageError:
    return UsageError(f"bad bound {text!r}: {reason}\n{GRAMMAR}")
