"""Context bound: every change of thread counts, whether the thread left could go on or not (BPOR 2013, section on context bounds).

Leaving a blocked thread costs whoever is chosen, so every choice there must be tried, and a race opens all threads at its state.
"""

from __future__ import annotations

from bpor.model.plan import Chooser, State
from bpor.model.step import Step
from bpor.search.bounds.asked import Asked, lowest
from bpor.search.engine.frame import Frame
from bpor.search.engine.tree import Tree


class Context(Asked):
    def __init__(self, switches: int) -> None:
        self.switches = switches

    def enter(self, tree: Tree, frame: Frame, before: Frame | None, step: Step | None) -> None:
        if before is not None and step is not None:
            frame.cost = before.cost + _switches(before.last, step.thread)

    def initial(self, tree: Tree, frame: Frame, chosen: int) -> int:
        return 0 if chosen == frame.last else frame.enabled

    def refuses(self, frame: Frame, thread: int) -> bool:
        return frame.cost + _switches(frame.last, thread) > self.switches

    def backtrack(self, tree: Tree, index: int, thread: int) -> None:
        frame = tree.frames[index]
        frame.backtrack |= frame.enabled

    def chooser(self, tree: Tree, thread: int | None) -> Chooser:
        frame = tree.frames[-1] if tree.frames else None
        spent = 0 if frame is None or thread is None else frame.cost + _switches(frame.last, thread)

        def choose(state: State) -> int | None:
            nonlocal spent
            if state.last is not None and state.enabled >> state.last & 1:
                return state.last
            chosen = lowest(state.enabled)
            spent += _switches(state.last, chosen)
            return chosen if spent <= self.switches else None

        return choose


def _switches(last: int | None, thread: int) -> bool:
    return last is not None and last != thread
