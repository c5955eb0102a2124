"""Which parts of the reduction a bound uses. If an option switches off a part that the bound does not use, the user is told that this
changes nothing."""

from __future__ import annotations

from bpor.search.bounds.bound import BESIDE_FAIR, Bound, BoundKind

_REDUCED = ("bpor", "dpor", "extension", "best-first")
_KNOWS = ("bpor", "dpor", "extension", "best-first")  # others go their ways in Python, or are what these are measured against


def without_effect(search: str | None, bound: Bound | None, switched_off: list[str]) -> list[str]:
    """Of the options by which parts of the reduction are switched off, those that change nothing: a sentence for each."""
    known, parts = ([one for one in switched_off if (one == "--no-known-steps") is is_known] for is_known in (True, False))
    return [*_where_nothing_is_known(search, bound, known), *_parts_without_effect(search, bound, parts)]


def _where_nothing_is_known(search: str | None, bound: Bound | None, options: list[str]) -> list[str]:
    if search is not None and search.partition(":")[0] not in _KNOWS:
        return [f"{option} changes nothing: --search {search} executes every run" for option in options]
    if bound is not None and BoundKind.DEPTH in bound.kinds:
        return [f"{option} changes nothing within {bound}: every run is executed" for option in options]
    return []


def _parts_without_effect(search: str | None, bound: Bound | None, switched_off: list[str]) -> list[str]:
    if search is not None and search.partition(":")[0] not in _REDUCED:
        return [f"{option} changes nothing: --search {search} has no such reduction" for option in switched_off]
    if bound is None:
        return []
    if BoundKind.DEPTH in bound.kinds:
        return [f"{option} changes nothing within {bound}: a depth bound allows no reduction" for option in switched_off]
    if bound.kinds & BESIDE_FAIR:
        return []
    why = f"changes nothing within {bound}: no points are added for its sake"
    return [f"{option} {why}" for option in switched_off if option == "--no-bound-optimisation"]
