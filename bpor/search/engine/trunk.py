"""Trunk: owns the states above the subtrees of one tree, hands subtrees out and puts together what comes back.

A subtree, wherever and by whichever engine it is explored, brings back: the threads it wants to be tried at states above it, raw, because
only the owner of a state knows who sleeps or is blocked there; whether the bound refused anybody in it; and, after its first execution,
what wakes the thread of its first choice, so that the next sibling can be handed out with that thread asleep. Conservative points wait
until a subtree of their state has exceeded the bound.
Invariant: the subtrees handed out, in whatever order, together reach exactly what one depth-first search reaches. They run the same
executions if each is handed out with the sleepers that it has there: `as_one`. Deepest first, one at a time, they do so in the same order.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from bpor.model.choice import Choice, alternative_of, choice_of, thread_of
from bpor.model.exploration import Above, Subtree
from bpor.model.policy import threads_in
from bpor.search.engine.limb import Branch, Limb, footprint_of, load_limb
from bpor.search.engine.rule import Rule
from bpor.search.estimate import Estimate
from bpor.search.options import SearchOptions


class Trunk:
    def __init__(self, rule: Rule, options: SearchOptions) -> None:
        self.rule = rule
        self.limbs: dict[Limb, None] = {}  # in order: a limb stands behind its parent
        self.branches: list[Branch] = []  # being explored
        self.refused = 0  # limbs at which the bound refused a thread
        self._options = options

    def whole(self) -> Branch:
        """The tree as one branch."""
        return self._explored(Branch())

    def _explored(self, branch: Branch) -> Branch:
        self.branches.append(branch)
        return branch

    # ---- handing out ----

    def pick(self, deepest: bool) -> Branch | None:
        """The next branch; None: there is none now."""
        for limb in reversed(self.limbs) if deepest else iter(self.limbs):
            choice = limb.open.pop(0) if limb.open else self._next(limb)
            if choice is not None:
                return self._hand_out(limb, choice)
        return None

    def _next(self, limb: Limb) -> int | None:
        """The next thread to try at a limb; None: not now. It waits while the first execution of a branch of it is still to come."""
        if limb.out and self._options.as_one:
            return self._sure(limb)
        return None if limb.unseen else self._ready(limb)

    def _sure(self, limb: Limb) -> int | None:
        """While others are being tried at a limb: whom one search would try after them, if that is known. They may yet ask for anybody who
        is able to run there, and the order of siblings decides who sleeps. So it is the first of all those, if it was asked for."""
        frame, able = limb.frame, self._able(limb)
        if not able or limb.unseen or not self._first_shows_all or self.rule.knows_whole:
            return None
        thread = frame.first_of(able)
        wanted = frame.backtrack | (frame.conservative if frame.exceeded and able == 1 << thread else 0)
        return thread if wanted >> thread & 1 else None

    def _able(self, limb: Limb) -> int:
        """Threads that may still be tried there."""
        frame = limb.frame
        left = threads_in(frame.enabled & ~frame.done)
        return sum(1 << thread for thread in left if thread not in limb.sleep and not self.rule.refuses(frame, thread))

    def _hand_out(self, limb: Limb, choice: Choice) -> Branch:
        limb.frame.done |= 1 << thread_of(choice)
        limb.out.add(choice)
        limb.unseen.add(choice)
        return self._explored(Branch(limb, choice))

    def subtree(self, branch: Branch) -> Subtree | None:
        return None if branch.limb is None else branch.limb.subtree(branch.choice, self._options.any_order, self.rule)

    def _ready(self, limb: Limb) -> int | None:
        """The next thread to try at a limb: as Tree picks one."""
        frame = limb.frame
        while (thread := frame.next_ready()) is not None:
            if thread not in limb.sleep:
                if not self.rule.refuses(frame, thread):
                    return thread
                self.refused += frame.refuse()
            frame.done |= 1 << thread
        return None

    # ---- what comes back ----

    def tell(self, branch: Branch, above: Above | None) -> None:
        """What a branch says so far."""
        limb = branch.limb
        if limb is None or above is None:
            return
        branch.watch = above.watch
        if branch.choice in limb.unseen:
            limb.unseen.discard(branch.choice)
            limb.offers(thread_of(branch.choice), above.alternatives)
            if self._first_shows_all:
                limb.was_explored(branch.choice, above.watch)
        limb.frame.exceeded |= above.exceeded
        if above.refused:
            self.refused += limb.frame.refuse()
        for state in limb.above():
            backtrack, conservative = above.wanted[state.depth]
            if self._options.bound_optimisation:
                state.frame.conservative |= self._resolve(state, conservative)
            else:
                backtrack |= conservative
            state.frame.backtrack |= self._resolve(state, backtrack)

    @property
    def _first_shows_all(self) -> bool:
        """Does the first execution below a choice show all that wakes its thread? Not if a later step of its block may go another way."""
        return not (self._options.alternatives and self.rule.watches_blocks)

    def _resolve(self, limb: Limb, threads: int) -> int:
        """Add: a thread if it can run there, else all that can (disabled, not created, asleep or fair-blocked: errata E5, E8)."""
        frame = limb.frame
        able = frame.enabled & ~frame.fair_blocked
        for thread in limb.sleep:
            able &= ~(1 << thread)
        return frame.enabled if threads & ~able else threads

    def end(self, branch: Branch) -> None:
        """A branch is explored; what it said last was told."""
        self.branches.remove(branch)
        limb = branch.limb
        if limb is not None:
            limb.out.discard(branch.choice)
            if not self._first_shows_all:
                limb.was_explored(branch.choice, branch.watch)
            limb.sizes.append(branch.executions)
            self._settle(limb)

    def _settle(self, limb: Limb | None) -> None:
        while limb is not None and not limb.out and not limb.open and self._ready(limb) is None:
            del self.limbs[limb]
            parent = limb.parent
            if parent is not None and limb.last is not None:
                parent.out.discard(limb.last)
                parent.frame.exceeded |= limb.frame.exceeded
                parent.sizes.append(sum(limb.sizes))
            limb = parent

    @property
    def finished(self) -> bool:
        return not self.limbs and not self.branches

    # ---- more hands ----

    def split(self, branch: Branch, schedule: Sequence[int], frames: Sequence[dict[str, Any]]) -> bool:
        """Takes the states of a branch's stack down to the first at which more can be handed out: the branch keeps what lies below it.

        `frames` is its whole stack, `schedule` what leads to the last of them. False: there is no such state.
        """
        last = (None, *schedule)
        left = (index for index in range(branch.root, len(frames) - 1) if self._offers(frames[index], index, last[index], schedule[index]))
        at = next(left, None)
        if at is None:
            return False
        limb = branch.limb
        for index in range(branch.root, at + 1):
            limb = self._grow(frames[index], index, last[index], limb)
            limb.out.add(schedule[index])
            if frames[index]["watch"] is not None and self._first_shows_all:
                limb.was_explored(schedule[index], footprint_of(frames[index]["watch"]))
        branch.limb, branch.choice = limb, schedule[at]
        return True

    def _offers(self, values: dict[str, Any], index: int, last: Choice | None, chosen: Choice) -> bool:
        """Can more be handed out at a state of a stack, where somebody is tried?"""
        limb = load_limb(values, index, last, None)
        limb.out.add(chosen)
        return bool(limb.open or self._sure(limb) is not None) if self._options.as_one else self._untried(limb) > 0

    def _grow(self, values: dict[str, Any], index: int, last: Choice | None, parent: Limb | None) -> Limb:
        limb = load_limb(values, index, last, parent)
        self.limbs[limb] = None
        return limb

    # ---- for a later process ----

    def save(self, stacks: Sequence[tuple[Branch, Sequence[int], Sequence[dict[str, Any]]]]) -> list[dict[str, Any]]:
        """The limbs, each with the number of its parent, and below them the stacks of the branches that have one."""
        numbers = {id(limb): number for number, limb in enumerate(self.limbs)}
        saved = [limb.save() | _place(limb, numbers) for limb in self.limbs]
        begun = {id(branch) for branch, _, frames in stacks if len(frames) > branch.root}
        for branch in self.branches:
            if branch.limb is not None and id(branch) not in begun:
                above = saved[numbers[id(branch.limb)]]
                if alternative_of(branch.choice):
                    above["open"] = [*above["open"], branch.choice]
                else:
                    above["done"] &= ~(1 << branch.choice)
        for branch, schedule, frames in stacks:
            parent = -1 if branch.limb is None else numbers[id(branch.limb)]
            for index in range(branch.root, len(frames)):
                values = dict(frames[index], parent=parent, thread=schedule[index - 1] if index else None)
                parent = len(saved)
                saved.append(values)
        return saved

    def load(self, saved: Sequence[dict[str, Any]]) -> None:
        """A tree that has no limbs and no branches yet."""
        limbs: list[Limb] = []
        for values in saved:
            parent = limbs[values["parent"]] if values["parent"] >= 0 else None
            limbs.append(self._grow(values, 0 if parent is None else parent.depth + 1, values["thread"], parent))
            if parent is not None:
                parent.out.add(values["thread"])
            if values["watch"] is not None and values["chosen"] is not None and self._first_shows_all:
                limbs[-1].was_explored(choice_of(values["chosen"], values["alternative"]), footprint_of(values["watch"]))
        for limb in reversed(limbs):
            if limb in self.limbs:
                self._settle(limb)

    # ---- how much there is ----

    def estimate(self) -> Estimate:
        """Of all executions, as estimate.py does it for one stack."""
        open_below: dict[int, list[tuple[float, float, float]]] = {}
        for branch in self.branches:
            open_below.setdefault(id(branch.limb), []).append(branch.estimate)
        for limb in reversed(self.limbs):
            low, expected, high = (sum(column) for column in zip(*open_below.pop(id(limb), [(0.0, 0.0, 0.0)]), strict=True))
            done, untried, tried = sum(limb.sizes), self._untried(limb), len(limb.sizes) + len(limb.out)
            average = (done + expected) / max(tried, 1)
            whole = (done + low + untried, done + expected + untried * average, done + high + untried * max(high, *limb.sizes, 1))
            open_below.setdefault(id(limb.parent), []).append(whole)
        (whole,) = open_below.get(id(None), [(0.0, 0.0, 0.0)])
        return Estimate(*whole)

    def _untried(self, limb: Limb) -> int:
        frame = limb.frame
        wanted = (frame.backtrack | (frame.conservative if frame.exceeded else 0)) & ~frame.done
        able = sum(thread not in limb.sleep and not self.rule.refuses(frame, thread) for thread in threads_in(wanted))
        return able + len(limb.open)


def _place(limb: Limb, numbers: dict[int, int]) -> dict[str, Any]:
    parent = limb.parent
    return {"parent": -1 if parent is None else numbers[id(parent)], "thread": limb.last, "watch": None}
