"""Wakeups: the stack of Optimal DPOR (JACM 2017, Alg. 2), without recursion: one plan per beginning, one execution per trace.

Invariant: nodes[k] is the state before step k of the last execution; what is still to be run at it stands in its wakeup tree, the step
being explored does not. While a branch is explored those found before it sleep, whether they were explored already or will be. In the
paper's order they were. In any other, what the earlier branch finds for one that was taken too soon is run as a branch of its own, and may
repeat some of it: sleeping alone does not cover it, the beginnings found are needed too.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable
from typing import Any

from bpor.model.executor import Executor
from bpor.model.operation import Operation
from bpor.model.plan import Plan, State
from bpor.model.policy import threads_in
from bpor.model.step import Step
from bpor.model.trace import Outcome, Trace
from bpor.search.engine.history import History
from bpor.search.graphs.crew import GraphThreads, Numbering
from bpor.search.optimal.follower import Follower
from bpor.search.optimal.node import Node
from bpor.search.optimal.order import Order, dfs
from bpor.search.optimal.question import Question, Reply, answer_of
from bpor.search.optimal.races import Races, Reversal
from bpor.search.optimal.span import Span
from bpor.search.optimal.timeouts import Sooner
from bpor.search.optimal.wakeup import WakeupBranch, WakeupStep, count_from, insert, to_settle
from bpor.search.options import SearchOptions
from bpor.search.snapshot import Snapshot, go_again
from bpor.search.tally import Tally

_CLASSES = (Node, WakeupBranch, WakeupStep, Span, Question, Reply)
_MOST_ANSWERS = 100_000  # kept; what was forgotten may be asked again
_RACES_OF_A_CUT = 500  # steps whose races are looked at if the execution did not end: it may be long, and nothing complete comes of it


class Wakeups:
    def __init__(self, options: SearchOptions, order: Order = dfs) -> None:
        self.tally = Tally(options.distinct_cap)
        self.finished = False
        self._options = options
        self._order = order
        self._crew = GraphThreads()  # the order in which threads are created may change when steps are reversed
        self._initial: tuple[int, ...] = ()
        self._announced: tuple[tuple[int, Operation], ...] = ()  # in the initial state
        self._history = History()  # its threads are members of the crew
        self._steps: list[Step] = []
        self._nodes: list[Node] = []
        self._following: list[WakeupBranch] = []  # the beginning that the current plan follows
        self._races: Generator[Reversal | Sooner | Question, Reply | None, None] | None = None
        self._looked_at = 0  # how many steps of the last execution are looked at for races
        self._question: Question | None = None
        self._unsettled: Reversal | None = None  # waits for the answer
        self._answers: dict[tuple[int, ...], Reply] = {}  # by the questions' keys

    # ---- the next execution ----

    def next_plan(self) -> Plan | None:
        if not self._nodes:
            return Plan(max_steps=self._options.max_steps)
        if self._question is not None:
            return self._ask(self._question)
        while self._nodes:
            node = self._nodes[-1]
            if node.chosen is not None:
                node.leave()
            if node.waiting:
                return self._plan(node)
            self._nodes.pop()
            if self._nodes:
                self._history.pop()
                self._steps.pop()
        self.finished = True
        return None

    def _ask(self, question: Question) -> Plan:
        numbering = Numbering(self._crew, self._initial)
        schedule = tuple(numbering.follow(step) for step in question.steps)
        thread = numbering.number(question.thread)

        def once(state: State) -> int | None:
            return thread if state.index == len(schedule) and (state.enabled & ~state.timed) >> thread & 1 else None

        return Plan(prefix=schedule, max_steps=len(schedule) + 2, report_from=len(schedule), chooser=once)

    def _plan(self, node: Node) -> Plan:
        sleeps = self._take(node)
        items = [branch.item for branch in self._following]
        certain = next((count for count, item in enumerate(items, 1) if not item.foreseen), len(items))
        if any(item.span is not None for item in sleeps[0].values()):
            certain = 1  # what wakes a span is known only when it was made
        numbering = self._numbering_of(self._steps)
        threads = [numbering.take(item.thread, item.creates) for item in items]
        # An end of the process wakes with the next step, whatever that is.
        sleepers = sorted(thread for thread, item in sleeps[certain - 1].items() if not item.ends)
        asleep = tuple((numbering.number(thread), sleeps[certain - 1][thread].touches.watch.footprint()) for thread in sleepers)
        spans = {numbering.number(thread): span for thread in sleepers if (span := sleeps[certain - 1][thread].span) is not None}
        hashes = self._history.step_hashes
        return Plan(
            prefix=(*self._schedule(), *threads[:certain]),
            prefix_hash=hashes[-1] if hashes and certain == 1 else None,
            sleep=asleep,
            max_steps=self._options.max_steps,
            report_from=len(self._history),
            chooser=Follower(threads[certain:], asleep, spans) if spans or certain < len(items) else None,
        )

    def _take(self, node: Node) -> list[dict[int, WakeupStep]]:
        """The next beginning of a node's tree: the branches to be followed, and who sleeps in the state before each."""
        branch = node.waiting[self._order(node.waiting, node.explored[-1].item.thread if node.explored else -1)]
        self._following, sleeps = [branch], [node.beside(branch)]
        while branch.children:
            following = branch.children[self._order(branch.children, -1)]
            older = {each.item.thread: each.item for each in branch.children if each.rank < following.rank and each.item.foreseen}
            sleeps.append(_still_asleep(sleeps[-1], branch.item) | older)
            self._following.append(following)
            branch = following
        return sleeps

    def _schedule(self) -> list[int]:
        numbering = Numbering(self._crew, self._initial)
        return [numbering.follow(step) for step in self._steps]

    def _numbering_of(self, steps: Iterable[Step]) -> Numbering:
        """The numbers that threads have after these steps from the initial state on."""
        numbering = Numbering(self._crew, self._initial)
        for step in steps:
            numbering.follow(step)
        return numbering

    # ---- the trace of the last plan ----

    def learn(self, trace: Trace) -> None:
        if self._question is not None:
            self.tally.asked += 1
            answer = self._answers[self._question.key] = answer_of(trace.steps[0]) if trace.steps else Reply(False)
            self._question = None
            if self._unsettled is None:
                self._reverse(answer)
            elif self._insert(self._unsettled):
                self._reverse(None)
            return
        first = len(self._history)
        if not self._nodes:
            self._begin(trace)
        siblings = self._nodes[-1].waiting
        for branch in self._following:
            siblings.remove(branch)
            siblings = branch.children
        numbering = self._numbering_of(self._steps)
        for index in range(first - trace.first, len(trace.steps)):
            step = numbering.translate(trace.steps[index])
            following = trace.steps[index + 1].timed if index + 1 < len(trace.steps) else trace.timed
            self._advance(step, numbering.mask(following))
        self._following = []
        outcome = Outcome.REDUNDANT if trace.end.outcome is Outcome.STOPPED else trace.end.outcome
        self.tally.ended(outcome, self._history.trace_hashes[-1], len(trace.steps), trace)
        if not self._nodes[-1].timed:
            self._note_what_is_left()
        cut, idle = not (outcome.is_complete or outcome is Outcome.REDUNDANT), self._nodes[-1].idle
        if cut and idle is not None:
            idle.span.ends = True
        if outcome is not Outcome.REDUNDANT or idle is not None:
            # An execution in which only timeouts slept was run elsewhere, but the other ways to get there may be new.
            self._find_races(_RACES_OF_A_CUT if cut else len(self._steps), first)

    def _find_races(self, most: int, first: int) -> None:
        """Of the last execution, whose steps from the `first` on are new."""
        races = Races(self._history, self._steps)
        for key, answer in races.answers(first, most):
            if len(self._answers) < _MOST_ANSWERS:
                self._answers.setdefault(key, answer)
        self._looked_at = most
        self._races = races.reversals(most)
        self._reverse(None)

    def _begin(self, trace: Trace) -> None:
        self._initial = tuple(thread for thread, _ in trace.initial)
        numbering = Numbering(self._crew, self._initial)
        self._announced = numbering.members(trace.initial)
        self._history.begin(self._announced)
        self._nodes.append(Node(numbering.mask(trace.steps[0].timed if trace.steps else trace.timed), {}))

    def _advance(self, step: Step, timed: int) -> None:
        node = self._nodes[-1]
        self._history.push(step)
        self._steps.append(step)
        self.tally.states.add(self._history.event_hash)
        item = WakeupStep(step.thread, self._history.touched, step.ends_process or step.operation.kind.ends)
        node.chosen = WakeupBranch(item)
        if self._following and self._following[0].item.thread == step.thread:
            node.chosen.rank = self._following[0].rank
        if node.idle is not None:
            node.idle.span.add(step, item.ends)
        following = Node(timed, _still_asleep(node.beside(node.chosen), item, step), node)
        if self._following:
            branch = self._following.pop(0)
            if branch.item.thread != step.thread or item.ends:  # what follows could not be followed
                self._following = []
            else:
                following.waiting = branch.children
        if timed:
            self._note_what_is_left()
        self._nodes.append(following)

    def _note_what_is_left(self) -> None:
        """What the last timeout brought about is over: the next idle state, or the end, was reached."""
        idle, position = self._nodes[-1].idle, len(self._steps)
        while idle is not None:
            position -= 1
            for thread, _ in self._steps[position].announced:
                operation = self._history.operation(thread)
                if operation is not None:
                    idle.span.leave(operation)
            if self._nodes[position] is idle:
                return

    def _try_sooner(self, sooner: Sooner) -> None:
        """If that timeout sleeps, what begins with it is explored, with all that it brings about; another one may come in between."""
        node = self._nodes[sooner.index]
        for thread in threads_in(node.timed) if sooner.thread in node.sleep else (sooner.thread,):
            if thread not in node.sleep:
                self._try_timeout(node, thread, sooner.index)

    def _try_timeout(self, node: Node, thread: int, index: int) -> None:
        assert node.chosen is not None
        if any(branch.item.thread == thread for branch in (node.chosen, *node.explored, *node.waiting)):
            return
        made = next((step.operation for step in self._steps[index:] if step.thread == thread), None)
        operation = made or self._history.operation(thread)
        assert operation is not None
        node.waiting.append(WakeupBranch(WakeupStep(thread, self._history.cells.resolve(operation.footprint), operation.kind.ends)))

    def _reverse(self, answer: Reply | None) -> None:
        """Goes on with the races of the last execution, until they are all reversed or a question comes up."""
        assert self._races is not None
        try:
            while True:
                found = self._races.send(answer)
                answer = None
                if isinstance(found, Sooner):
                    self._try_sooner(found)
                elif isinstance(found, Reversal):
                    if not self._insert(found):
                        return
                elif found.key in self._answers:
                    answer = self._answers[found.key]
                else:
                    self._question = found
                    return
        except StopIteration:
            self._races = None

    def _insert(self, reversal: Reversal) -> bool:
        """False: not yet; a question comes first."""
        node, self._unsettled = self._nodes[reversal.index], None
        others = node.items()
        while (item := to_settle(reversal.sequence, others)) is not None:
            assert item.question is not None
            if item.question.key not in self._answers:
                self._question, self._unsettled = item.question, reversal
                return False
            item.settle(self._answers[item.question.key], self._history.cells)
        if not node.covers(reversal):
            insert(node.waiting, reversal.sequence, reversal.precedes)
        return True

    # ---- for a later process ----

    def save(self) -> dict[str, Any]:
        """An execution that was begun is still to be run, and the races of the last one still to be found if a question was asked: those
        reversed already are covered then."""
        linked = (self._nodes, self._steps, self._initial, self._announced, self._answers, self._crew.saved())
        return {
            "finished": self.finished,
            "tally": self.tally.save(),
            "ranks": WakeupBranch(WakeupStep(0, self._history.touched, False)).rank,
            "looked_at": self._looked_at if self._races is not None else None,
            "linked": Snapshot(_CLASSES, self._history.cells).pack(linked),
        }

    def load(self, saved: dict[str, Any], executor: Executor) -> None:
        """Raises Diverged if the program no longer goes the way that was saved."""
        self.finished = saved["finished"]
        self.tally.load(saved["tally"])
        count_from(saved["ranks"])
        linked = Snapshot(_CLASSES, self._history.cells).unpack(saved["linked"])
        self._nodes, self._steps, self._initial, self._announced, self._answers, crew = linked
        self._crew.load(crew)
        self._history.begin(self._announced)
        for step in self._steps:
            self._history.push(step)
        go_again(executor, self._schedule(), self._steps)
        if saved["looked_at"] is not None:
            self._find_races(saved["looked_at"], len(self._steps))


def _still_asleep(sleep: dict[int, WakeupStep], item: WakeupStep, step: Step | None = None) -> dict[int, WakeupStep]:
    """After a step."""
    left = {thread: each for thread, each in sleep.items() if thread != item.thread and not each.depends_on(item)}
    if step is None:
        return left
    return {thread: each for thread, each in left.items() if each.span is None or not each.span.is_woken_by(step)}
