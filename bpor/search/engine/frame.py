"""Frame: one state on the stack of the tree, before step `index`. Sets of threads are masks (bit t = thread t)."""

from __future__ import annotations

from bpor.search.engine.watch import Watch

NO_SLEEPERS: dict[int, Watch] = {}


class Frame:
    __slots__ = (
        "alternative", "alternatives", "atomic", "backtrack", "block", "chosen", "circling", "conservative", "cost", "cyclic", "done",
        "enabled", "exceeded", "fair_blocked", "free", "index", "kept", "last", "partial", "raced", "refused", "releasers", "runs_before",
        "sizes", "sleep", "stale", "step_watch", "timed", "watch", "watches", "whole", "yields",
    )  # fmt: skip

    def __init__(self, index: int, enabled: int, timed: int, last: int | None) -> None:
        self.index = index
        self.enabled = enabled
        self.timed = timed  # enabled by their timeout alone: the state is idle iff there are any
        self.last = last  # thread of the step that led here
        self.atomic = index  # where the sealed run that goes on here began (its own index: nothing is sealed here)
        self.free = True  # leaving `last` costs nothing here
        self.cost = 0  # what the bound has counted so far
        self.yields: tuple[int, ...] = ()  # done so far, by thread (fair bound only)
        self.circling = 0  # threads whose last yield was where they had been before (likewise)
        self.fair_blocked = 0  # of these, threads too far ahead of others in yields
        self.backtrack = 0  # threads to be tried
        self.conservative = 0  # tried only if something below exceeded the bound (the paper's bound optimisation)
        self.raced = 0  # threads that a race asks for here, whatever else is tried (an order of exploration may look at it)
        self.done = 0  # tried, or found asleep or over the bound
        self.exceeded = False  # here or below, the bound refused a thread
        self.refused = False  # here
        self.releasers = 0  # threads whose pending operation is a release (delta bound only)
        self.sleep = NO_SLEEPERS  # threads asleep on entry, with their watch sets
        self.cyclic = False  # the state is on a cycle, where nobody is left out for being asleep (searches that recognise states)
        self.watches: dict[int, Watch] | None = None  # of the threads tried here that may sleep from now on
        self.whole = 0  # of both, those below whom nothing was refused: whatever they lead to was explored, within the bound or not
        self.chosen: int | None = None  # the thread being tried
        self.alternative = 0  # that it takes
        self.alternatives = 1  # that its operation offers
        self.stale = 0  # alternatives that weak memory offered and that were taken so far
        self.partial = True  # below it something is still to be explored, was refused, or was left to a sleeper that is not `whole`
        self.block = index  # where the run of `chosen` that its step belongs to began
        self.watch: Watch | None = None  # of `chosen`, from its first execution
        self.step_watch: Watch | None = None  # of its step alone
        self.kept: tuple[Watch | None, ...] = ()  # of `chosen` too, by the alternatives that it took before
        self.runs_before = 0  # executions when `chosen` was begun
        self.sizes: list[int] | None = None  # executions below each thread tried, once there were two

    def next_ready(self) -> int | None:
        """The next thread to try."""
        ready = self.backtrack & ~self.done
        if not ready and self.exceeded:
            ready = self.conservative & ~self.done
        return self.first_of(ready) if ready else None

    def first_of(self, threads: int) -> int:
        """The last one: the sleep rule requires that order (erratum E26)."""
        last = self.last
        return last if last is not None and threads >> last & 1 else (threads & -threads).bit_length() - 1

    def asleep(self, thread: int) -> bool:
        return thread in self.sleep and not self.cyclic

    def refuse(self) -> bool:
        """The bound keeps a thread from running here; so it may below every frame above, and never lets it sleep. True: the first time."""
        first = not self.refused
        self.exceeded = self.refused = True
        return first
