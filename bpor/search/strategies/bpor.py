"""bpor: bounded partial-order reduction, the search this project is named after (Coons, Musuvathi, McKinley, OOPSLA 2013)."""

from __future__ import annotations

from bpor.search.bounds.bound import Bound
from bpor.search.bounds.rules import rule_for
from bpor.search.options import SearchOptions
from bpor.search.strategies.ladder import Ladder


def bpor(bound: Bound, options: SearchOptions, seed: int) -> Ladder:
    return Ladder(bound.levels(), rule_for, options)
