"""MatchingTree: the tree, with leaves at states whose future is known.

After race detection for the step that leads to a state, and before anybody is chosen there, its node is looked up:
* It is on the stack: a *cycle*. What lies beyond it is explored from there, below the same frames. All threads are tried at every state
  of the cycle, else somebody could be put off for ever (errata E32, E33), and nobody sleeps there (E38).
* The table knows it: what was explored below it is not explored again. But it may race with the steps that lead here this time, so the
  summary of what lies below is checked against the stack (E31), and requests for the start of a block that runs on through it are passed
  on. An entry that is still open reaches back to a frame of the stack: that is a cycle too.
The executor runs ahead and does not know the table: what it did beyond such a state is not learned.
Invariant: marks[k] belongs to frames[k].
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import takewhile
from typing import ClassVar

from bpor.lazy_dataclass import replace
from bpor.model.operation import ObjectAccess
from bpor.model.plan import Limits, Plan
from bpor.model.policy import threads_in
from bpor.model.schedule import Schedule
from bpor.model.step import Step
from bpor.model.trace import Outcome, Trace
from bpor.search.bounds.bound import Bound
from bpor.search.coverage import Level
from bpor.search.cycles.explored import Explored
from bpor.search.cycles.rule import Recognising
from bpor.search.cycles.table import END, Entry, Node, OpenGroup, Summary, Table, add_summary
from bpor.search.engine.clock import NEVER
from bpor.search.engine.frame import Frame
from bpor.search.engine.tree import Tree
from bpor.search.options import SearchOptions
from bpor.search.tally import Tally

SHORT = 64  # steps: an execution is this long, or twice as long as its prefix, before the search looks where it goes
MOST_RENEWALS = 3
CAPACITY = 1 << 20  # entries of a table: about 64 bytes each where they are packed


class Mark:
    """What a tree that recognises states knows of a frame."""

    __slots__ = ("charged", "cross", "freed", "group", "identity", "leaf", "low", "node", "summary")

    def __init__(self, identity: int | None, index: int, charged: int) -> None:
        self.identity = identity
        self.node: Node | None = None  # None: the state is not matched
        self.low = index  # the lowest frame that its component is known to reach back to
        self.leaf = False  # its future is another's
        self.cross = 0  # threads to be tried, conservatively, at the start of a block that runs on through it
        self.group: OpenGroup | None = None  # open entries that are anchored here
        self.summary: Summary = {}  # what threads would do next, here and below
        self.charged = charged  # preemptions, as the executor counts them: it does not know what is free by E37
        self.freed = False  # leaving the last thread is free by E37 alone


class MatchingTree(Tree):
    recognises: ClassVar[bool] = True
    rule: Recognising

    def __init__(
        self, bound: Bound, rule: Recognising, options: SearchOptions, total: Tally | None = None, capacity: int = CAPACITY
    ) -> None:
        super().__init__(bound, rule, options, total)
        rule.matching = self
        self.explored = Explored(rounds_yield=rule.fair is None)
        self.table = Table(capacity)
        self.marks: list[Mark] = []
        self.unidentified = ""  # why a state has no identity: then nothing is claimed of endless schedules
        self.root_identity: int | None = None
        self._stack: dict[Node, int] = {}  # the lowest frame of each node on the stack
        self._told: tuple[int | None, ...] = ()  # identities of the states of this execution
        self._renewals = 0  # how often identities changed
        self._why = ""  # some of them have none
        self._new = 0  # states of it that were entered
        self._seen_refusing = 0

    # ---- plans ----

    def _first_plan(self) -> Plan:
        return replace(super()._first_plan(), identify=True, match=True, max_steps=self._reach(0))

    def _reach(self, prefix: int) -> int:
        """An executor that runs ahead may go round for ever; twice the prefix costs little, and nothing is lost by stopping there."""
        return min(self._max_steps, max(SHORT, 2 * prefix))

    def _plan(self, frame: Frame, thread: int) -> Plan:
        plan = super()._plan(frame, thread)
        limits = self.rule.limits
        if limits.preemption is not None:
            mark = self.marks[frame.index]
            charged = mark.charged + (thread != frame.last and (mark.freed or not frame.free))
            ours = frame.cost + (thread != frame.last and not frame.free)
            limits = Limits(limits.preemption + charged - ours, limits.fair)
        return replace(plan, limits=limits, identify=True, match=True, max_steps=self._reach(len(plan.prefix)))

    # ---- states ----

    def learn(self, trace: Trace) -> None:
        self._told, self._why = trace.states, trace.unidentified
        self._new = 0
        if self.begun and self._told and self._renewals <= MOST_RENEWALS:
            if self._told[0] != self.marks[-1].identity:
                self._begin_anew()
                return
            self._new = 1
        refusing = self._seen_refusing
        super().learn(replace(trace, refused_by_bound=0))
        for tally in self._tallies():
            tally.refused_states(self._seen_refusing - refusing)

    def _begin_anew(self) -> None:
        """The same state has another identity than before, or none: the program was started again, otherwise than before. What is known of
        states is known no more. A program whose identities change all the time has none."""
        tally, renewals = self.tally, self._renewals + 1
        MatchingTree.__init__(self, self.bound, self.rule, self.options, self.total, self.table.capacity)
        self.tally, self._renewals = tally, renewals
        if renewals > MOST_RENEWALS:
            self.unidentified = "the same state has another identity in another execution"
        for each in self._tallies():
            each.stopped_on_the_way(0)

    def arrive(self, frame: Frame, step: Step | None) -> None:
        """A new frame, filled by the bound, that is about to be put on the stack."""
        steady = self._renewals <= MOST_RENEWALS
        identity = self._told[self._new] if steady and self._new < len(self._told) else None
        self._new += 1
        before = self.marks[-1] if self.marks else None
        above = self.frames[-1] if self.frames else None
        charged = 0
        if step is None:
            self.root_identity = identity
        if before is not None and above is not None and step is not None:
            charged = before.charged + (step.thread != above.last and (before.freed or not above.free))
            if before.identity is not None and identity is not None:
                self.explored.step(before.identity, step.thread, identity, step.yields)
            if step.ends_process:
                before.summary.setdefault(step.thread, set()).add(END)
        mark = Mark(identity, frame.index, charged)
        if identity is None and frame.enabled:
            self.unidentified = self._why or "the executor does not tell"
        elif identity is not None:
            self.explored.state(identity, frame.enabled)
            if step is not None and self.rule.preemption is not None:
                if (identity, step.thread) not in self.explored.circular:
                    self._free_rounds(identity, step.thread)
                if not frame.free and (identity, step.thread) in self.explored.circular:
                    frame.free = mark.freed = True
        if any(self.rule.refuses(frame, thread) for thread in threads_in(frame.enabled)):
            self._seen_refusing += 1
        self.marks.append(mark)

    def _node(self, frame: Frame, mark: Mark) -> Node | None:
        if mark.identity is None:
            return None
        bounded = self.rule.preemption is not None
        last = frame.last if bounded and not frame.free and frame.last is not None else -1
        counting = max((each for each, count in enumerate(frame.yields) if count), default=-1) + 1  # the others were not counted, or are 0
        return mark.identity, last, frame.yields[:counting], frame.circling

    def _used(self, frame: Frame) -> int:
        return frame.cost if self.rule.preemption is not None else 0

    def _push(self, frame: Frame) -> None:
        super()._push(frame)
        self._enter(frame)

    def _enter(self, frame: Frame) -> None:
        mark = self.marks[frame.index]
        for thread in threads_in(self.history.live):
            operation = self.history.operation(thread)
            assert operation is not None
            accesses = set(operation.footprint)
            if operation.kind.ends:
                accesses.add(END)
            mark.summary[thread] = accesses
        mark.node = self._node(frame, mark)
        if frame.index == 0 and mark.node is not None:
            self._stack[mark.node] = 0

    # ---- recognised ----

    def _recognises(self, frame: Frame) -> bool:
        mark = self.marks[frame.index]
        if mark.node is None:
            return False
        if self._match(frame, mark, mark.node):
            mark.leaf = True
            return True
        self._stack[mark.node] = frame.index
        return False

    def _match(self, frame: Frame, mark: Mark, node: Node) -> bool:
        above = self._stack.get(node)
        if above is not None:
            self._close_round(above, frame, mark)
            return True
        used = self._used(frame)
        for entry in self.table.of(node):
            if not self.covered(entry, frame, used):
                continue
            anchor = entry.anchor
            if anchor is not None:
                self._close_round(self.marks[anchor].low, frame, mark)
            else:
                self._know(entry, frame, mark, used)
            return True
        return False

    def covered(self, entry: Entry, frame: Frame, used: int) -> bool:
        """Does what was explored below an entry contain what a visit with these preemptions would explore?"""
        return entry.covers(used, frame.sleep)

    def _know(self, entry: Entry, frame: Frame, mark: Mark, used: int) -> None:
        """What lies below is known: it meets the stack here as if it were explored again."""
        frame.exceeded = entry.exceeded or used > entry.used
        for thread, accesses in entry.summary.items():
            for access in accesses:
                self._detect_below(thread, access)
        self._pass_on(frame, mark, entry.cross)
        add_summary(mark.summary, entry.summary)

    def _detect_below(self, thread: int, access: ObjectAccess) -> None:
        """Races of the stack with what a thread does at or below the top of it."""
        history = self.history
        state = history.threads.get(thread)
        clock = state.clock if state is not None else NEVER  # one that is created below has no past yet: more races, none less
        if access is END or access == END:
            others = history.last_of_others(thread)
            found = history.uncovered(thread, others) if state is not None else others
        else:
            found = history.direct_dependents_of(clock, history.cells.resolve((access,)))
        for index in found:
            self._backtrack(index, thread)

    def _pass_on(self, frame: Frame, mark: Mark, threads: int) -> None:
        """Cross: threads to be tried at the start of the block that runs on through a state."""
        if self.rule.preemption is None or not threads or frame.index == 0 or frame.free:
            return
        block = self.frames[frame.index - 1].block
        for thread in threads_in(threads):
            self.add(block, thread, conservative=True)
        for index in range(block + 1, frame.index + 1):
            self.marks[index].cross |= threads

    def _backtrack(self, index: int, thread: int) -> None:
        super()._backtrack(index, thread)
        if self.rule.preemption is not None:
            for crossed in range(self.frames[index].block + 1, index + 1):
                self.marks[crossed].cross |= 1 << thread

    # ---- cycles ----

    def _close_round(self, to: int, frame: Frame, mark: Mark) -> None:
        """The top of the stack reaches back to frame `to`: Cycle."""
        marks = self.marks
        to = min((marks[index].low for index in range(to, frame.index)), default=to)
        for index in range(to, frame.index):
            marks[index].low = min(marks[index].low, to)
            if not self.frames[index].cyclic:
                self._expand(self.frames[index])
        mark.low = to
        self._pass_on(frame, mark, self._everybody())
        frame.exceeded = self.rule.preemption is not None or self.rule.fair is not None

    def _everybody(self) -> int:
        return (1 << max(self.history.threads) + 1) - 1

    def _expand(self, frame: Frame) -> None:
        """Everybody is tried at a state of a cycle, and nobody sleeps there."""
        frame.cyclic = True
        frame.done &= ~sum(1 << thread for thread in frame.sleep)
        frame.watches = None
        for thread in threads_in(frame.enabled):
            self._backtrack(frame.index, thread)

    def _free_rounds(self, identity: int, thread: int) -> None:
        """A thread has just come to a state. Does it come back from there alone to one that it passed on its way? Then it may be left
        freely at every state of that round (E37)."""
        passed: dict[int | None, int] = {}
        for frame, mark in zip(reversed(self.frames), reversed(self.marks), strict=True):
            if frame.chosen != thread or (mark.identity, thread) in self.explored.ends_rounds:
                break
            passed[mark.identity] = frame.index
        ahead = list(self.explored.alone(identity, thread))
        first = next((passed[each] for each in ahead if each in passed), None)
        if first is None:
            return
        self.explored.circular.update((each, thread) for each in takewhile(lambda each: each not in passed, ahead))
        for frame, mark in zip(self.frames[first:], self.marks[first:], strict=True):
            self.explored.circular.add((mark.identity, thread))
            self._set_free(frame, mark, thread)

    def _set_free(self, frame: Frame, mark: Mark, thread: int) -> None:
        if frame.last != thread or frame.free:
            return
        frame.free = mark.freed = True
        frame.block = frame.index
        frame.done = 1 << thread  # who was refused, or charged, is not any more
        if mark.node is not None:
            if self._stack.get(mark.node) == frame.index:
                del self._stack[mark.node]
            mark.node = self._node(frame, mark)
            assert mark.node is not None
            self._stack.setdefault(mark.node, frame.index)

    # ---- what may be said ----

    def level(self) -> Level:
        level = super().level()
        if self.unidentified or not self.finished:
            return level
        return replace(level, states=len(self.explored.enabled), livelocks=len(self.explored.livelocks()))

    def lassos(self) -> Iterator[Schedule]:
        """An endless fair schedule for each livelock that shows by now."""
        if self.root_identity is None:
            return
        for component in self.explored.livelocks():
            lasso = self.explored.lasso(component, self.root_identity)
            if lasso is not None:
                yield Schedule(tuple(lasso[0]), tuple(lasso[1]))

    def rounds_alone(self) -> Iterator[Schedule]:
        """Endless schedules in which one thread alone goes round."""
        if self.root_identity is not None:
            for stem, round_ in self.explored.rounds_alone(self.root_identity):
                yield Schedule(tuple(stem), tuple(round_))

    # ---- the end of an execution, and of a frame ----

    def _end(self, trace: Trace, steps: int) -> None:
        frame = self.frames[-1]
        outcome, leaf = trace.end.outcome, self.marks[-1].leaf
        looks = not leaf and (outcome is Outcome.MATCHED or (outcome is Outcome.STEP_LIMIT and trace.length < self._max_steps))
        if looks or outcome is Outcome.OVER_BOUND:
            # It was asked to stop, or does not know what is free by E37: somebody may be able to go on.
            self._go_on(frame)
        if looks:
            for tally in self._tallies():
                tally.stopped_on_the_way(steps)
        else:
            super()._end(trace, steps)

    def _go_on(self, frame: Frame) -> None:
        """Initialize, where the executor left it to us."""
        awake = [each for each in threads_in(frame.enabled) if not frame.asleep(each)]
        allowed = [each for each in awake if not self.rule.refuses(frame, each)]
        if not allowed:
            self._refuse(frame) if awake else None
        elif frame.last in allowed:
            frame.backtrack |= 1 << frame.last
        else:
            frame.backtrack |= 1 << min(allowed, key=lambda each: (frame.yields[each] if each < len(frame.yields) else 0, each))
        frame.backtrack |= frame.timed

    def _leave(self, frame: Frame) -> None:
        mark = self.marks.pop()
        above = self.marks[-1] if self.marks else None
        super()._leave(frame)
        if mark.node is not None and self._stack.get(mark.node) == frame.index:
            del self._stack[mark.node]
        if above is not None:
            add_summary(above.summary, mark.summary)
        reaches_up = mark.low < frame.index
        group = mark.group
        if reaches_up:
            assert above is not None
            group = group or OpenGroup(frame.index - 1)
            above.group = self._joined(above.group, group, frame.index - 1)
            above.low = min(above.low, mark.low)
        elif group is not None:
            group.close(mark.summary, self._everybody(), frame.exceeded)
        if not mark.leaf and mark.node is not None and frame.enabled:
            sleep = {} if frame.cyclic else frame.sleep
            entry = Entry(self._used(frame), sleep, mark.summary, mark.cross, frame.exceeded, group if reaches_up else None)
            self.table.add(mark.node, entry)

    def _joined(self, one: OpenGroup | None, other: OpenGroup, frame: int) -> OpenGroup:
        other.frame = frame
        if one is None:
            return other
        if one is not other:
            other.into = one
        one.frame = frame
        return one
