"""Rule: what a bound decides in the tree: its state, its Initialize, its Backtrack, and who may sleep.

Invariant: a rule keeps nothing that depends on the stack except in frames, so popping a frame undoes it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from bpor.model.operation import ATOMIC, Operation
from bpor.model.plan import Chooser, Limits
from bpor.model.step import Step
from bpor.model.trace import Outcome
from bpor.search.engine.frame import Frame

if TYPE_CHECKING:
    from bpor.search.engine.tree import Tree


class Rule:
    """Unbounded search, and the base of the others."""

    limits = Limits()
    reduces = True  # detect races and add backtrack points; False: `initial` says it all
    notes_races = False  # without reduction: races are looked for all the same, for an order of exploration
    sleeps = True  # sleep sets are sound
    releases_sleep = True  # False: a thread whose step was a release never sleeps (erratum E10)
    sleeps_beside_timed = True  # False: nobody sleeps while somebody waits who may time out (erratum E48)
    watches_blocks = False  # a sleeper is watched for all it would do until it stops (erratum E4)
    watches_waits = False  # ... and for what it then waits for (erratum E60); else what others do next may wake it, too (WakeNext)
    knows_whole = False  # where nothing was refused below a thread, it sleeps as in unbounded search
    release_optimisation = True
    beside = False  # csrc/engine knows it too
    asks = False  # executors do not know it: they ask for every step after the prefix
    max_steps: int | None = None  # the bound itself is the length of an execution

    def observe(self, tree: Tree, step: Step) -> None:
        """A step is about to be put on the history."""

    def enter(self, tree: Tree, frame: Frame, before: Frame | None, step: Step | None) -> None:
        """Fills the bound's part of a new frame; `step` led from `before` to it."""
        last = frame.last
        frame.free = last is None or not frame.enabled >> last & 1 or (step is not None and step.cuts) or frame.timed != 0
        if before is not None and step is not None:
            frame.cost = Rule.price(self, before, step.thread)

    def initial(self, tree: Tree, frame: Frame, chosen: int) -> int:
        """Mask of the threads to be tried in a new state, beside `chosen`, which the executor took."""
        return 0

    def refuses(self, frame: Frame, thread: int) -> bool:
        """Is an enabled thread surely over the bound at a frame anywhere on the stack?"""
        return False

    def allows(self, tree: Tree, frame: Frame, thread: int) -> bool:
        """Is an enabled thread within the bound? `frame` is the top of the stack."""
        return not self.refuses(frame, thread)

    def allows_alternative(self, frame: Frame, operation: Operation) -> bool:
        """May `operation`, at the top of the stack, take another alternative than the first?"""
        return operation.kind not in ATOMIC or self.limits.stale is None or frame.stale < self.limits.stale

    def price(self, frame: Frame, thread: int) -> int:
        """What the bound will have counted once `thread` has run at a frame; preemptions, if it counts nothing that is summed up. An order
        of exploration may look at it."""
        return frame.cost + (not frame.free and thread != frame.last)

    def backtrack(self, tree: Tree, index: int, thread: int) -> None:
        """Step `index` races with the pending operation of `thread`."""
        tree.add(index, thread)

    def sleeps_beside(self, frame: Frame, sleeper: int, thread: int) -> bool:
        """May `sleeper`, whose branch of a frame was explored within the bound, sleep while that of `thread` is?"""
        return True

    @property
    def wakes_next(self) -> bool:
        return self.watches_blocks and not self.watches_waits

    def enabled_by(self, tree: Tree, index: int, step: Step) -> None:
        """Step `index` may have enabled threads without racing with them: those it created, and those that joined a thread it ended."""

    def chooser(self, tree: Tree, thread: int | None) -> Chooser | None:
        """For bounds the runtime does not know: who runs after the prefix, whose last step is `thread` at the top of the stack."""
        return None

    def settle(self, tree: Tree) -> None:
        """An execution is over: forget what the chooser noted."""

    def outcome(self, outcome: Outcome) -> Outcome:
        """How an execution ended, in the bound's own view."""
        return outcome
