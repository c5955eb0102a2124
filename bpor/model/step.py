"""Step: what a thread *did*, with what the state before it allowed and what it led to."""

from __future__ import annotations

from typing import NamedTuple

from bpor.model.choice import Choice, choice_of
from bpor.model.operation import ATOMIC, Footprint, Operation


class Step(NamedTuple):
    """One executed operation. (A tuple, because a search makes millions: a frozen dataclass takes five times as long to make.)

    `enabled` and `timed` are masks (bit t = thread t) of the state *before* the step: `timed` holds the threads that are
    enabled by their timeout alone, so the state is idle (ALGORITHM 1.12) iff it is not empty.
    `announced` tells what is pending *after* the step and was not before: the mover's next operation and the first ones of
    threads it created. A mover that is not among them has finished. A thread created by this step that ended at once stands in `finished`.
    """

    thread: int
    operation: Operation
    footprint: Footprint  # the executed one
    enabled: int
    announced: tuple[tuple[int, Operation], ...]
    finished: tuple[int, ...] = ()  # threads that ended during this step
    timed: int = 0
    yields: bool = False  # counts as a yield
    cuts: bool = False  # leaving after it is free and ends the block; every yield cuts
    failed: bool = False  # a try that failed
    timed_out: bool = False
    inferred: bool = False  # the yield was inferred, not written in the program
    ends_process: bool = False  # process end, or a crash inside the segment that follows (E21)
    value: int = 0
    circles: bool = False  # a yield of a thread that was at this place before: the fair bound may keep it here
    hash: int = 0  # of the execution up to and including this step, as the executor computes it
    alternatives: int = 1  # that the operation offered
    alternative: int = 0  # that it took; 0 is what an ordinary machine does
    source: int | None = None  # index of the step that stored what an old read saw: it happens before this one, though no footprint says so

    @property
    def stale(self) -> bool:
        """Did weak memory make a difference?"""
        return self.alternative > 0 and self.operation.kind in ATOMIC

    @property
    def choice(self) -> Choice:
        return choice_of(self.thread, self.alternative) if self.alternative else self.thread
