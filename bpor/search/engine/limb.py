"""Limb: a state above the subtrees of a tree: who is to be tried there, who is being tried, who sleeps. Branch: a subtree that is explored.

Invariant: a branch belongs to one choice of one limb; the choices in `out` are explored at this moment, by a branch or below another limb.
A thread whose step has several alternatives is several choices, of which the first tells how many there are.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from bpor.model.choice import Choice, alternative_of, choice_of, thread_of
from bpor.model.exploration import Subtree
from bpor.model.operation import Footprint, ObjectAccess
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
        self.last: Choice | None = None  # that leads here
        self.out: set[Choice] = set()
        self.unseen: set[Choice] = set()  # of them, those whose first execution is still to come
        self.open: list[Choice] = []  # further alternatives of threads that were tried
        self.alternatives: dict[int, int] = {}  # of each thread tried, as far as it is known
        self.explored: dict[int, dict[int, Footprint | None]] = {}  # by thread and alternative: what wakes it
        self.sizes: list[int] = []  # executions below each thread tried

    @property
    def depth(self) -> int:
        return self.frame.index

    @property
    def schedule(self) -> tuple[int, ...]:
        """That leads here."""
        return tuple(limb.last for limb in self.above() if limb.last is not None)[::-1]

    def offers(self, thread: int, alternatives: int, taken: int = 0) -> None:
        """The step of a thread that was tried has so many alternatives; those up to `taken` were tried, or are."""
        if thread not in self.alternatives:
            self.alternatives[thread] = alternatives
            self.open += [choice_of(thread, alternative) for alternative in range(taken + 1, alternatives)]

    def was_explored(self, choice: Choice, watch: Footprint | None) -> None:
        """A thread may sleep when all its alternatives are explored, and is watched for what it does by any of them."""
        thread = thread_of(choice)
        known = self.explored.setdefault(thread, {})
        known[alternative_of(choice)] = watch
        watches = [each for each in known.values() if each is not None]
        if len(watches) == self.alternatives.get(thread, 1):
            self.watches[thread] = tuple(sorted({access for each in watches for access in each}))

    def subtree(self, choice: Choice, any_order: bool, rule: Rule) -> Subtree:
        thread = thread_of(choice)
        guarded = any_order and thread == self.frame.last  # erratum E26
        beside = {} if guarded else {each: watch for each, watch in self.watches.items() if rule.sleeps_beside(self.frame, each, thread)}
        return Subtree((*self.schedule, choice), self.hash, tuple(sorted((beside | self.sleep).items())))

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
            "open": self.open,
            "offered": list(self.alternatives.items()),
            "explored": [(thread, list(known.items())) for thread, known in self.explored.items()],
        }


class Branch:
    """Below a choice at `limb`; without a limb it is the whole tree."""

    def __init__(self, limb: Limb | None = None, choice: Choice = 0) -> None:
        self.limb = limb
        self.choice = choice
        self.watch: Footprint | None = None  # of its choice, as it said last
        self.executions = 0
        self.estimate = (1.0, 1.0, 1.0)

    @property
    def root(self) -> int:
        """States above it that belong to limbs."""
        return 0 if self.limb is None else self.limb.depth + 1


def load_limb(values: dict[str, Any], index: int, last: Choice | None, parent: Limb | None) -> Limb:
    frame = Frame(index, values["enabled"], values["timed"], None if last is None else thread_of(last))
    for name in _PLAIN:
        setattr(frame, name, values[name])
    limb = Limb(frame, parent, values["hash"], watches_of(values["sleep"]), watches_of(values["watches"] or ()))
    limb.sizes = list(values["sizes"] or ())
    limb.last = last
    limb.open = list(values.get("open", ()))
    limb.alternatives = dict(map(tuple, values.get("offered", ())))
    limb.explored = {thread: {number: _maybe(watch) for number, watch in known} for thread, known in values.get("explored", ())}
    if values.get("chosen") is not None:  # on a stack: who is tried there
        limb.offers(values["chosen"], values["alternatives"], values["alternative"])
        explored, watch = values["kept"]
        for alternative in range(explored):
            limb.was_explored(choice_of(values["chosen"], alternative), _maybe(watch))
    return limb


def _maybe(saved: Any) -> Footprint | None:
    return None if saved is None else footprint_of(saved)


def watches_of(saved: Any) -> Watches:
    return {thread: footprint_of(footprint) for thread, footprint in saved}


def footprint_of(saved: Any) -> Footprint:
    return tuple(sorted(ObjectAccess(identity, bool(write), size) for identity, write, size in saved))
