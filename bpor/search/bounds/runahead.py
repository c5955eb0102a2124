"""The bounds the runtime applies by itself while it runs ahead: none, preemption, fair, and both (BPOR 2013, Alg. 3 and 4).

preemption  a switch away from a thread that is enabled costs 1, unless it is free; the sum is bounded
stale       an alternative of weak memory other than the first costs 1; the sum is bounded, and it is a function of the trace
fair        nobody may run who goes round in a loop and has yielded more than `fair` times more than another enabled thread; a maximum,
            nothing is summed. A new thread has yielded as often as its creator (erratum E30)
free        the thread left is disabled or fair-blocked, its last step was a yield (or another voluntary switch), or the state is idle
With yields free and blocks cut at them the combination needs no conservative points beyond those of the preemption bound (erratum E13).
"""

from __future__ import annotations

from bpor.model.plan import Limits
from bpor.model.policy import threads_in
from bpor.model.step import Step
from bpor.protocol.ops import Op
from bpor.search.engine.frame import Frame
from bpor.search.engine.rule import Rule
from bpor.search.engine.tree import Tree


class RunAhead(Rule):
    beside = True

    def __init__(self, preemption: int | None = None, fair: int | None = None, stale: int | None = None) -> None:
        self.limits = Limits(preemption, fair, stale=stale)
        self.most = preemption  # of what is summed up along a schedule
        self.preemption = preemption
        self.fair = fair
        self.watches_blocks = preemption is not None
        self.releases_sleep = fair is None
        self.sleeps_beside_timed = fair is None
        self.release_optimisation = preemption is None and fair is None  # erratum E7

    def enter(self, tree: Tree, frame: Frame, before: Frame | None, step: Step | None) -> None:
        if before is None or step is None:
            return
        frame.cost = before.cost + self.charge(before, step.thread)
        if self.fair is not None:
            frame.yields = _counted(before.yields, step)
            frame.circling = before.circling & ~(1 << step.thread) | step.circles << step.thread if step.yields else before.circling
            frame.fair_blocked = self._fair_blocked(frame)
        frame.free = self.leaving_is_free(frame, step.cuts)

    def leaving_is_free(self, frame: Frame, cuts: bool) -> bool:
        """Of the last thread: then its block ends here. `cuts`: its step was a yield, or another voluntary switch."""
        assert frame.last is not None
        able = frame.enabled & ~frame.fair_blocked
        return cuts or not able >> frame.last & 1 or frame.timed != 0

    def charge(self, frame: Frame, thread: int) -> int:
        """What choosing a thread costs, of what is summed up."""
        return not frame.free and thread != frame.last

    def refuses(self, frame: Frame, thread: int) -> bool:
        if frame.fair_blocked >> thread & 1:
            return True
        return self.most is not None and frame.cost + self.charge(frame, thread) > self.most

    def price(self, frame: Frame, thread: int) -> int:
        return frame.cost + self.charge(frame, thread)

    def backtrack(self, tree: Tree, index: int, thread: int) -> None:
        tree.add(index, thread)
        if self.preemption is not None:
            block = tree.frames[index].block
            if block != index:  # erratum E2: a step that starts a block needs no second point
                tree.add(block, thread, conservative=True)

    def enabled_by(self, tree: Tree, index: int, step: Step) -> None:
        """A thread that becomes enabled and has yielded less than the mover may fair-block others, so they must be tried before the step.

        Releases do the same, but race with the operation of the thread they enable, which is disabled there: Add takes all. End and join
        have no footprint, so nothing else would add these points: under a preemption bound at the start of the block too, as for a race,
        and whichever of the two comes first (erratum E69).
        A new thread has yielded as often as the mover.
        """
        if self.fair is None:
            return
        enabled = [thread for ended in step.finished for thread in tree.history.joining(ended)]
        yields = self.counted(tree)
        if any(_count(yields, thread) < _count(yields, step.thread) for thread in enabled):
            self._want_all_before(tree, index)
        for joiner, operation in step.announced:  # a join of a thread that has ended: had the end come later, the joiner would wait
            ended = operation.target if operation.kind is Op.JOIN else None
            if ended is not None and tree.history.has_ended(ended) and _count(yields, joiner) < _count(yields, ended):
                self._want_all_before(tree, tree.history.threads[ended].last)

    def _want_all_before(self, tree: Tree, index: int) -> None:
        tree.all_enabled(index)
        block = tree.frames[index].block
        if self.preemption is not None and block != index:
            tree.all_enabled(block, conservative=True)

    def counted(self, tree: Tree) -> tuple[int, ...]:
        """Yields done, after the step that was just put on the stack."""
        return tree.frames[-1].yields

    def initial(self, tree: Tree, frame: Frame, chosen: int) -> int:
        """While somebody waits who may time out, any step after which nobody else is ready makes the state idle, and then the waiters count
        as enabled: a thread that has yielded more than they have may go on before that step and not after it. So where such a thread is
        ready everybody is tried (erratum E50)."""
        waiters = tree.history.waits_timed() & ~frame.enabled if self.fair is not None and frame.circling else 0
        ready = frame.enabled & ~frame.timed
        return frame.enabled if waiters and self._blocked_among(frame, ready | waiters) & ready else 0

    def _fair_blocked(self, frame: Frame) -> int:
        return self._blocked_among(frame, frame.enabled)

    def _blocked_among(self, frame: Frame, enabled: int) -> int:
        yields = frame.yields
        if not frame.circling or not enabled & (enabled - 1) or self.fair is None:
            return 0  # nobody goes round, or there is nobody to compare with
        counts = {thread: _count(yields, thread) for thread in threads_in(enabled)}
        allowed = min(counts.values()) + self.fair
        return sum(1 << thread for thread, count in counts.items() if count > allowed and frame.circling >> thread & 1)


class Everything(RunAhead):
    """No reduction: every thread within the bound is tried in every state. What the reduction is measured against."""

    reduces = False
    sleeps = False

    def __init__(self, preemption: int | None = None, fair: int | None = None) -> None:
        super().__init__(preemption, fair)
        self.watches_blocks = False

    def initial(self, tree: Tree, frame: Frame, chosen: int) -> int:
        return frame.enabled


def _count(yields: tuple[int, ...], thread: int) -> int:
    return yields[thread] if thread < len(yields) else 0


def _counted(yields: tuple[int, ...], step: Step) -> tuple[int, ...]:
    mine = _count(yields, step.thread) + step.yields
    created = [thread for thread, _ in step.announced if thread != step.thread] if mine else []
    if not step.yields and not created:
        return yields
    counts = list(yields) + [0] * (max(step.thread, *created, 0) + 1 - len(yields))
    for thread in (step.thread, *created):
        counts[thread] = mine
    return tuple(counts)
