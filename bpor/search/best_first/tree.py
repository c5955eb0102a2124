"""OpenTree: the tree of engine/tree.py explored in any order (GAMBIT: Coons, Burckhardt, Musuvathi, PPoPP 2010; Coons 2013, ch. 3).

What is explored is decided exactly as in depth-first search; only the order is another. Two things make any order complete: a thread sleeps
for its siblings as soon as its first execution is known (what is below it is explored, or will be), and where the thread that ran last is
taken it finds none of its siblings asleep (the guard of erratum E26; an executor that runs ahead takes that thread first anyway).
Invariant: `_path` is the branch of the last execution, frames and history belong to it; every thread wanted somewhere is in the fringe.
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from typing import Any

from bpor.lazy_dataclass import replace
from bpor.model.executor import Executor
from bpor.model.mixing import mixed_on
from bpor.model.operation import Operation
from bpor.model.plan import Plan
from bpor.model.policy import threads_in
from bpor.model.step import Step
from bpor.model.trace import Trace
from bpor.search.best_first.node import BestFirstNode
from bpor.search.best_first.priority import Choice, Priority
from bpor.search.bounds.bound import Bound
from bpor.search.engine.frame import Frame
from bpor.search.engine.rule import Rule
from bpor.search.engine.tree_state import SavesItself
from bpor.search.estimate import Estimate
from bpor.search.options import SearchOptions
from bpor.search.snapshot import Snapshot, go_again
from bpor.search.tally import Tally

_CLASSES = (BestFirstNode, Frame)
_NUMBERS = ("begun", "finished", "refused", "nodes", "most_nodes", "_serial")
_Entry = tuple[tuple[int, ...], int, int, BestFirstNode]  # priorities, minus the serial number (newest first), thread, node


class OpenTree(SavesItself):
    def __init__(self, bound: Bound, rule: Rule, options: SearchOptions, total: Tally, priorities: Sequence[Priority] = ()) -> None:
        # The postconditions speak of a depth-first stack.
        super().__init__(bound, rule, replace(options, check_postconditions=False), total)
        self._priorities = tuple(priorities)
        self._fringe: list[_Entry] = []
        self._taken: _Entry | None = None  # by the plan that is being run
        self._serial = 0
        self._path: list[BestFirstNode] = []
        self._announced: tuple[tuple[int, Operation], ...] = ()  # in the initial state
        self._racing = 0  # threads whose pending operation depends on the last step
        self.nodes = 0  # kept, those of the last execution included
        self.most_nodes = 0

    # ---- the next execution ----

    def next_plan(self) -> Plan | None:
        if not self.begun:
            return super().next_plan()
        while self._fringe:
            entry = heapq.heappop(self._fringe)
            _, minus_serial, thread, node = entry
            if node.open.get(thread) != -minus_serial:
                continue  # ranked again since
            self._move_to(node)
            if self.rule.allows(self, node.frame, thread):
                self._taken = entry
                return self._plan(node.frame, thread)
            del node.open[thread]
            self._refuse(node.frame)
            self._settle()
        self.finished = True
        self.frames.clear()
        return None

    def _move_to(self, node: BestFirstNode) -> None:
        """Puts frames and history on another branch."""
        path = node.path()
        common = 0
        while common < min(len(path), len(self._path)) and path[common] is self._path[common]:
            common += 1
        self.history.pop_to(common - 1)
        del self.frames[common:]
        for before, after in zip(path[common - 1 :], path[common:], strict=False):
            assert after.step is not None
            before.frame.chosen = after.step.thread
            before.frame.block = self._block_of(before.frame, after.step.thread)
            self.rule.observe(self, after.step)
            self.history.push(after.step)
            self.frames.append(after.frame)
        self._path = path

    # ---- the trace of the last plan ----

    def learn(self, trace: Trace) -> None:
        branch = max(len(self._path) - 1, 0)
        if self._taken is not None:
            _, _, thread, node = self._taken
            del node.open[thread]
            self._taken = None
        super().learn(trace)
        if self._sleep is not None:
            for frame in self.frames[branch:]:
                if frame.chosen is not None:
                    self._sleep.fall_asleep(frame, frame.chosen)
        self._settle()

    def _begin(self, trace: Trace) -> None:
        super()._begin(trace)
        self._announced = trace.initial
        self._extend(BestFirstNode(self.frames[0]))

    def _advance(self, step: Step, trace: Trace, following: Step | None) -> bool:
        known = super()._advance(step, trace, following)
        parent = self._path[-1]
        node = BestFirstNode(self.frames[-1], parent, step)
        node.schedule = mixed_on(parent.schedule, step.thread)
        if not step.ends_process:
            node.sleeping = (parent.tried | parent.sleeping) & ~self._racing & ~(1 << step.thread)
        parent.tried |= 1 << step.thread
        self._extend(node)
        return known

    def _detect_races(self, index: int, racers: int, step: Step) -> None:
        self._racing = racers
        super()._detect_races(index, racers, step)

    def _extend(self, node: BestFirstNode) -> None:
        self._path.append(node)
        self.nodes += 1
        self.most_nodes = max(self.most_nodes, self.nodes)

    # ---- the fringe ----

    def _settle(self) -> None:
        """After anything that may have added points on the path: puts them into the fringe, then drops what nothing open needs."""
        history = self.history
        pending = {thread: op for thread in history.threads if (op := history.operation(thread)) is not None}
        found: list[tuple[BestFirstNode, int, Choice]] = []
        for index in range(len(self._path) - 1, -1, -1):
            node = self._path[index]
            found += [(node, thread, self._choice(node, thread, pending)) for thread in self._for_fringe(node)]
            if node.step is not None:
                self.frames[index - 1].exceeded |= node.frame.exceeded
                for thread, _ in node.step.announced:
                    pending.pop(thread, None)
                pending[node.step.thread] = node.step.operation
        for node, thread, choice in reversed(found):  # the deepest last, so that it is the newest
            self._serial += 1
            node.open[thread] = self._serial
            heapq.heappush(self._fringe, (tuple(each.rank(choice) for each in self._priorities), -self._serial, thread, node))
        if self._path:
            self.nodes -= self._path[-1].release()

    def _for_fringe(self, node: BestFirstNode) -> list[int]:
        """The threads that belong into the fringe now: new ones, and open ones that a race asks for since, which may rank higher."""
        frame = node.frame
        wanted = [thread for thread in threads_in(frame.raced & ~node.ranked) if thread in node.open]
        node.ranked = frame.raced
        while ready := (frame.backtrack | (frame.conservative if frame.exceeded else 0)) & ~frame.done:
            for thread in threads_in(ready):
                frame.done |= 1 << thread
                if thread in frame.sleep:
                    continue
                if self.rule.refuses(frame, thread):
                    self._refuse(frame)
                else:
                    wanted.append(thread)
        return wanted

    def _choice(self, node: BestFirstNode, thread: int, pending: dict[int, Operation]) -> Choice:
        frame = node.frame
        left = pending.get(frame.last) if frame.last is not None and frame.last != thread else None
        raced = bool(frame.raced >> thread & 1)
        sleeping = bool(node.sleeping >> thread & 1)
        return Choice(self.rule.price(frame, thread), raced, sleeping, pending.get(thread), left, mixed_on(node.schedule, thread))

    # ---- for a later process ----

    def save(self) -> dict[str, Any]:
        """Steps lie in the nodes, so the history need not be saved: the next plan puts it where it has to be."""
        self.rule.settle(self)
        steps = [node.step for node in self._path[1:]]
        schedule = self.history.schedule[: len(steps)]
        if self._path:
            self._move_to(self._path[0])
        fringe = self._fringe if self._taken is None else [*self._fringe, self._taken]
        linked = (fringe, self._path, steps, schedule, self._announced)
        numbers = {name: getattr(self, name) for name in _NUMBERS}
        return numbers | {"tally": self.tally.save(), "linked": Snapshot(_CLASSES, self.history.cells).pack(linked)}

    def load(self, saved: dict[str, Any], executor: Executor) -> None:
        """Raises Diverged if the program no longer goes the way that was saved."""
        for name in _NUMBERS:
            setattr(self, name, saved[name])
        self.tally.load(saved["tally"])
        linked = Snapshot(_CLASSES, self.history.cells).unpack(saved["linked"])
        self._fringe, self._path, steps, schedule, self._announced = linked
        heapq.heapify(self._fringe)
        if self._path:
            self.history.begin(self._announced)
            self.frames = [self._path[0].frame]
            go_again(executor, schedule, steps)

    # ---- what may be said ----

    @property
    def open_choices(self) -> int:
        return sum(node.open.get(thread) == -minus_serial for _, minus_serial, thread, node in self._fringe)

    def estimate(self) -> Estimate | None:
        """Knuth's method needs subtrees that were finished one after the other."""
        return super().estimate() if self.finished else None
