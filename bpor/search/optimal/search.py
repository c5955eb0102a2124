"""Wakeups: the stack of Optimal DPOR (JACM 2017, Alg. 2), without recursion: one plan per beginning, one execution per trace.

Invariant: nodes[k] is the state before step k of the last execution; what is still to be run at it stands in its wakeup tree, the step being
explored does not. A thread sleeps at a state once everything that begins with its step there was run.
"""

from __future__ import annotations

from collections.abc import Generator

from bpor.model.operation import Footprint
from bpor.model.plan import Plan
from bpor.model.policy import threads_in
from bpor.model.step import Step
from bpor.model.trace import Outcome, Trace
from bpor.search.engine.history import History
from bpor.search.graphs.crew import Crew, Numbering
from bpor.search.optimal.order import Order, dfs
from bpor.search.optimal.races import Question, Races, Reversal
from bpor.search.optimal.wakeup import Branch, Item, insert, is_weak_initial
from bpor.search.options import SearchOptions
from bpor.search.tally import Tally


class Node:
    __slots__ = ("chosen", "sleep", "timed", "waiting")

    def __init__(self, timed: int, sleep: dict[int, Item]) -> None:
        self.timed = timed
        self.sleep = sleep
        self.waiting: list[Branch] = []  # the wakeup tree
        self.chosen: Item | None = None  # the step being explored


class Wakeups:
    def __init__(self, options: SearchOptions, order: Order = dfs) -> None:
        self.tally = Tally(options.distinct_cap)
        self.finished = False
        self.questions = 0  # executions that only told whether a thread could run in some state
        self._options = options
        self._order = order
        self._crew = Crew()  # the order in which threads are created may change when steps are reversed
        self._numbering = Numbering(self._crew, ())
        self._initial: tuple[int, ...] = ()
        self._history = History()  # its threads are members of the crew
        self._steps: list[Step] = []
        self._nodes: list[Node] = []
        self._following: list[Branch] = []  # the beginning that the current plan follows
        self._races: Generator[Reversal | Question, bool | None, None] | None = None
        self._question: Question | None = None

    # ---- the next execution ----

    def next_plan(self) -> Plan | None:
        if not self._nodes:
            return Plan(max_steps=self._options.max_steps)
        if self._question is not None:
            numbering = Numbering(self._crew, self._initial)
            schedule = tuple(numbering.follow(self._steps[index]) for index in self._question.steps)
            return Plan(prefix=schedule, max_steps=max(len(schedule), 1), report_from=len(schedule), stop_after_prefix=True)
        while self._nodes:
            node = self._nodes[-1]
            self._fall_asleep(node)
            if node.waiting:
                return self._plan(node)
            self._nodes.pop()
            if self._nodes:
                self._history.pop()
                self._steps.pop()
        self.finished = True
        return None

    def _fall_asleep(self, node: Node) -> None:
        chosen, node.chosen = node.chosen, None
        # Whose time is up in an idle state is no step like others: it would not have been enabled beside a step (erratum E22).
        if chosen is not None and not node.timed >> chosen.thread & 1:
            node.sleep[chosen.thread] = chosen

    def _plan(self, node: Node) -> Plan:
        last = next(reversed(node.sleep), -1)
        branch = node.waiting.pop(self._order(node.waiting, last))
        self._following = [branch]
        while branch.children:
            branch = branch.children.pop(self._order(branch.children, -1))
            self._following.append(branch)
        hashes = self._history.step_hashes
        return Plan(
            prefix=self._prefix(),
            prefix_hash=hashes[-1] if hashes and len(self._following) == 1 else None,
            sleep=tuple((self._numbering.number(each), footprint) for each, footprint in self._asleep_before_last(node)),
            max_steps=self._options.max_steps,
            report_from=len(self._history),
        )

    def _prefix(self) -> tuple[int, ...]:
        """The numbers of the threads along the stack and the beginning to be followed. The last step's new threads get theirs as it runs."""
        self._numbering = numbering = Numbering(self._crew, self._initial)
        stack = [numbering.follow(step) for step in self._steps]
        *items, last = (branch.item for branch in self._following)
        beginning = [numbering.take(item.thread, item.creates) for item in items]
        return (*stack, *beginning, numbering.number(last.thread))

    def _asleep_before_last(self, node: Node) -> tuple[tuple[int, Footprint], ...]:
        """The sleep set of the state before the last step of the plan's prefix."""
        sleep = node.sleep
        for branch in self._following[:-1]:
            sleep = _still_asleep(sleep, branch.item)
        # An end of the process wakes with the next step, whatever that is.
        return tuple((thread, item.touches.watch.footprint()) for thread, item in sorted(sleep.items()) if not item.ends)

    # ---- the trace of the last plan ----

    def learn(self, trace: Trace) -> None:
        if self._question is not None:
            self.questions += 1
            numbering = Numbering(self._crew, self._initial)
            for index in self._question.steps:
                numbering.follow(self._steps[index])
            number = numbering.number(self._question.thread)
            self._question = None
            self._reverse(bool((trace.enabled & ~trace.timed) >> number & 1))
            return
        first = len(self._history)
        if not self._nodes:
            self._initial = tuple(thread for thread, _ in trace.initial)
            self._numbering = Numbering(self._crew, self._initial)
            self._history.begin(self._numbering.members(trace.initial))
            self._nodes.append(Node(self._numbering.mask(trace.steps[0].timed if trace.steps else trace.timed), {}))
        else:
            self._numbering = Numbering(self._crew, self._initial)
            for step in self._steps:
                self._numbering.follow(step)
        for index in range(first - trace.first, len(trace.steps)):
            step = self._numbering.translate(trace.steps[index])
            following = trace.steps[index + 1].timed if index + 1 < len(trace.steps) else trace.timed
            self._advance(step, self._numbering.mask(following))
        self._following = []
        outcome = trace.end.outcome
        self.tally.ended(outcome, self._history.trace_hashes[-1], len(trace.steps), trace.threads, 0)
        if outcome is not Outcome.REDUNDANT:
            self._races = Races(self._history, self._steps).reversals(first)
            self._reverse(None)

    def _advance(self, step: Step, timed: int) -> None:
        node = self._nodes[-1]
        self._history.push(step)
        self._steps.append(step)
        self.tally.states.add(self._history.event_hash)
        item = Item(step.thread, self._history.touched, step.ends_process or step.operation.kind.ends)
        node.chosen = item
        for thread in threads_in(node.timed & ~(1 << step.thread)):  # in an idle state every timed waiter may be the first
            if not node.sleep and all(branch.item.thread != thread for branch in node.waiting) and not self._following:
                operation = self._history.operation(thread)
                assert operation is not None
                node.waiting.append(Branch(Item(thread, self._history.cells.resolve(operation.footprint), operation.kind.ends)))
        following = Node(timed, _still_asleep(node.sleep, item))
        if self._following:
            following.waiting = self._following.pop(0).children
        self._nodes.append(following)

    def _reverse(self, answer: bool | None) -> None:
        """Goes on with the races of the last execution, until they are all reversed or a question comes up."""
        assert self._races is not None
        try:
            found = next(self._races) if answer is None else self._races.send(answer)
            while not isinstance(found, Question):
                self._insert(found)
                found = next(self._races)
            self._question = found
        except StopIteration:
            self._races = None

    def _insert(self, reversal: Reversal) -> None:
        node = self._nodes[reversal.index]
        if not any(is_weak_initial(item, reversal.sequence, reversal.precedes) for item in node.sleep.values()):
            insert(node.waiting, reversal.sequence, reversal.precedes)


def _still_asleep(sleep: dict[int, Item], item: Item) -> dict[int, Item]:
    return {thread: each for thread, each in sleep.items() if thread != item.thread and not each.depends_on(item)}
