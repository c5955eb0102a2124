"""Bounds: the grammar (`fair:2,preemption:0..3`) and, one file per kind, the rules by which the engine searches within them."""

from bpor.search.bounds.bound import NONE, Bound, BoundKind, Term
from bpor.search.bounds.grammar import GRAMMAR, parse_bound

__all__ = ["GRAMMAR", "NONE", "Bound", "BoundKind", "Term", "parse_bound"]
