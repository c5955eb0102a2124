"""Limb: a state above the subtrees of a tree: who is to be tried there, who is being tried, who sleeps. Branch: a subtree that is explored.

Invariant: a branch belongs to one choice of one limb; the threads in `out` are explored at this moment, by a branch or below another limb.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from bpor.model.exploration import Subtree
from bpor.model.operation import Access, Footprint
from bpor.search.engine.frame import Frame
from bpor.search.engine.rule import Rule

_PLAIN = ("backtrack", "conservative", "done", "exceeded", "refused", "fair_blocked", "cost", "free")
Watches = dict[int, Footprint]


class Limb:
    def __init__(self, frame: Frame, parent: Limb | None, hash: int, sleep: Watches, watches: Watches) -> None:
        self.frame = frame
        self.parent = parent
        self.hash = hash  # of the step that leads here
        self.sleep = sleep  # on entry
        self.watches = watches  # of the threads tried here that may sleep from now on
        self.out: set[int] = set()
        self.unseen: set[int] = set()  # of them, those whose first execution is still to come
        self.sizes: list[int] = []  # executions below each thread tried

    @property
    def depth(self) -> int:
        return self.frame.index

    @property
    def schedule(self) -> tuple[int, ...]:
        """That leads here."""
        return tuple(limb.frame.last for limb in self.above() if limb.frame.last is not None)[::-1]

    def subtree(self, thread: int, any_order: bool, rule: Rule) -> Subtree:
        guarded = any_order and thread == self.frame.last  # erratum E26
        beside = {} if guarded else {each: watch for each, watch in self.watches.items() if rule.sleeps_beside(self.frame, each, thread)}
        return Subtree((*self.schedule, thread), self.hash, tuple(sorted((beside | self.sleep).items())))

    def above(self) -> Iterator[Limb]:
        """From here to the first state."""
        limb: Limb | None = self
        while limb is not None:
            yield limb
            limb = limb.parent

    def save(self) -> dict[str, Any]:
        """Who is being tried is still to be tried, for a later process."""
        frame = self.frame
        values = {name: getattr(frame, name) for name in _PLAIN}
        return values | {
            "enabled": frame.enabled,
            "timed": frame.timed,
            "hash": self.hash,
            "sizes": self.sizes,
            "sleep": list(self.sleep.items()),
            "watches": list(self.watches.items()),
        }


class Branch:
    """Below the choice of `thread` at `limb`; without a limb it is the whole tree."""

    def __init__(self, limb: Limb | None = None, thread: int = 0) -> None:
        self.limb = limb
        self.thread = thread
        self.executions = 0
        self.estimate = (1.0, 1.0, 1.0)

    @property
    def root(self) -> int:
        """States above it that belong to limbs."""
        return 0 if self.limb is None else self.limb.depth + 1


def load_limb(values: dict[str, Any], index: int, last: int | None, parent: Limb | None) -> Limb:
    frame = Frame(index, values["enabled"], values["timed"], last)
    for name in _PLAIN:
        setattr(frame, name, values[name])
    limb = Limb(frame, parent, values["hash"], watches_of(values["sleep"]), watches_of(values["watches"] or ()))
    limb.sizes = list(values["sizes"] or ())
    return limb


def watches_of(saved: Any) -> Watches:
    return {thread: footprint_of(footprint) for thread, footprint in saved}


def footprint_of(saved: Any) -> Footprint:
    return tuple(sorted(Access(identity, bool(write), size) for identity, write, size in saved))
