"""GraphSearch: the executions of CB-POR within one preemption bound, by depth-first search over states.

Invariant: `_path` holds the states along the line (one more than the line has steps). An execution follows states that are not marked, and
is asked at every step, because only a graph tells whether a state was met before by another way.

That no execution is in vain (Theorem 4) needs Mark to go through every prefix of a terminal graph, states that no execution has been to
included. Such a state consists of events that executions have shown; who is enabled in it is known where an operation waited for the same
before (able.py). So those states are walked through here, without the program. Where that is not known the program is run, and may find
everything beyond marked: then it stops, a redundant execution.
"""

from __future__ import annotations

from typing import Any

from bpor.errors import Diverged
from bpor.model.executor import Executor
from bpor.model.operation import Operation
from bpor.model.plan import Plan
from bpor.model.plan import State as Moment
from bpor.model.step import Step
from bpor.model.trace import Outcome, Trace
from bpor.search.bounds.bound import Bound, BoundKind
from bpor.search.cb_por.able import Able
from bpor.search.cb_por.state import CbPorState
from bpor.search.cb_por.states import States
from bpor.search.coverage import Level
from bpor.search.graphs.crew import GraphThreads, Numbering
from bpor.search.graphs.events import Events
from bpor.search.graphs.line import Line
from bpor.search.options import SearchOptions
from bpor.search.snapshot import Snapshot, go_again
from bpor.search.tally import Tally

_CLASSES = (CbPorState,)
_WALK = 10_000  # steps without an execution, at most: a budget is only looked at between executions


class GraphSearch:
    def __init__(self, bound: Bound, options: SearchOptions, total: Tally) -> None:
        self.bound = bound
        self.states = States(bound.value(BoundKind.PREEMPTION))
        self.tally = Tally(options.distinct_cap)
        self.finished = False
        self._limit = bound.value(BoundKind.PREEMPTION)
        self._options = options
        self._total = total
        self._crew = GraphThreads()
        self._events = Events()
        self._line = Line(self._events)
        self._able = Able(self._line)
        self._path: list[CbPorState] = []
        self._initial: tuple[int, ...] = ()
        self._announced: tuple[tuple[int, Operation], ...] = ()  # in the initial state
        self._numbering = Numbering(self._crew, ())

    # ---- the next execution ----

    def next_plan(self) -> Plan | None:
        if not self._path:
            return Plan(max_steps=self._options.max_steps, chooser=self._choose)
        thread = self._next_edge()
        if self._path[-1].marked:
            self.finished = True
            return None
        self._numbering = Numbering(self._crew, self._initial)
        threads = self._schedule(self._numbering)
        prefix = (*threads, *(() if thread is None else (self._numbering.number(thread),)))
        return Plan(prefix=prefix, max_steps=self._options.max_steps, report_from=len(threads), chooser=self._choose)

    def _schedule(self, numbering: Numbering) -> list[int]:
        return [numbering.follow(self._events.steps[event]) for event in self._line.events]

    def _next_edge(self) -> int | None:
        """Goes to the nearest state with a step that was not tried, and says whose. None: there is none, the initial state is marked; or
        the state is the end of an execution that was interrupted before it was learned, and has to be run again."""
        walked = 0
        while True:
            state = self._path[-1]
            if state.marked:
                if len(self._path) == 1:
                    return None
                self._back()
                continue
            if not state.enabled:
                return None
            thread = self._pick(state)
            if thread is None:
                self.states.consider(state)
            elif thread in state.edges:
                step, target = state.edges[thread]
                self._line.push(step)
                self._path.append(target)
            elif walked == _WALK or not self._walk(state, thread):
                return thread
            else:
                walked += 1

    def _pick(self, state: CbPorState) -> int | None:
        """A thread that does not lead to a marked state, the cheapest first: keeping the last thread costs nothing."""
        best: tuple[int, int] | None = None
        for thread in state.within(self._limit):
            if thread not in state.edges:
                self._recognise(state, thread)
            if thread not in state.edges or not state.edges[thread][1].marked:
                best = min(best or (state.price(thread), thread), (state.price(thread), thread))
        return None if best is None else best[1]

    def _recognise(self, state: CbPorState, thread: int) -> None:
        """Does a step that was not tried here lead to a state that is known?"""
        for event, key, last in self._line.foresee(thread):
            target = self.states.find(key, last)
            if target is not None:
                self.states.connect(state, self._events.steps[event], target)
                return

    def _walk(self, state: CbPorState, thread: int) -> bool:
        """Goes one step on, to a state that no execution has been to. False: only an execution can tell what is there, or it is an end."""
        step = self._line.predict(thread)
        if step is None or step.timed or step.ends_process or step.operation.kind.ends:
            return False
        self._line.push(step)
        enabled = self._able.mask()
        if not enabled:
            self._line.pop()
            return False
        following = self.states.add(self._line.hash, self._line.last, enabled, 0)
        self.states.connect(state, step, following)
        self._path.append(following)
        return True

    def _back(self) -> None:
        self._line.pop()
        self._path.pop()

    # ---- one execution ----

    def _choose(self, moment: Moment) -> int | None:
        if not self._path:
            self._begin(tuple(moment.pending.items()), moment.enabled, moment.timed)
        elif moment.step is not None and moment.index > len(self._line):
            self._advance(moment.step, moment.enabled, moment.timed)
        state = self._path[-1]
        thread = None if state.marked else self._pick(state)
        return None if thread is None else self._numbering.number(thread)

    def _begin(self, initial: tuple[tuple[int, Operation], ...], enabled: int, timed: int) -> None:
        self._initial = tuple(thread for thread, _ in initial)
        self._numbering = Numbering(self._crew, self._initial)
        self._announced = self._numbering.members(initial)
        self._line.begin(self._announced)
        self._able.learn(self._numbering.mask(enabled), self._numbering.mask(timed))
        self._path.append(self.states.add(0, frozenset(), self._numbering.mask(enabled), self._numbering.mask(timed)))

    def _advance(self, told: Step, enabled: int, timed: int, alive: bool = True) -> None:
        """One more step of the execution, and who is enabled after it. Not `alive`: nobody is, because the process ended or was ended."""
        origin = self._path[-1]
        step = self._numbering.translate(told)
        if step.enabled != origin.enabled:
            raise Diverged(len(self._line), f"threads {origin.enabled:#b} (a mask) enabled", f"threads {step.enabled:#b}")
        enabled, timed = self._numbering.mask(enabled), self._numbering.mask(timed)
        self._line.push(step)
        if alive:
            self._able.learn(enabled, timed)
        state = self.states.find(self._line.hash, self._line.last)
        if state is None:
            for tally in (self.tally, self._total):
                tally.states.add(self._line.history.event_hash)
            state = self.states.add(self._line.hash, self._line.last, enabled, timed)
        self.states.connect(origin, step, state)
        self._path.append(state)

    def learn(self, trace: Trace) -> None:
        if not self._path:
            first = trace.steps[0] if trace.steps else None
            self._begin(trace.initial, *((first.enabled, first.timed) if first else (trace.enabled, trace.timed)))
        for index in range(len(self._line) - trace.first, len(trace.steps)):
            following = trace.steps[index + 1] if index + 1 < len(trace.steps) else None
            state = following if following is not None else trace
            alive = following is not None or trace.end.outcome is Outcome.DEADLOCK
            self._advance(trace.steps[index], state.enabled, state.timed, alive)
        outcome = trace.end.outcome
        if outcome is Outcome.STOPPED:
            outcome = Outcome.REDUNDANT
        elif not outcome.is_complete:
            self._path[-1].enabled = 0  # cut: nobody looks beyond, and the counts say so
        self.states.consider(self._path[-1])
        hashes = self._line.history.trace_hashes
        for tally in (self.tally, self._total):
            tally.ended(outcome, hashes[-1], len(trace.steps), trace)

    # ---- what may be said ----

    def level(self) -> Level:
        refused = 0
        if self.finished and self._limit is not None:
            refused = sum(len(state.within(None)) > len(state.within(self._limit)) for state in self.states)
        return Level(self.bound, self.tally.counts(), self.finished, refused)

    # ---- for a later process ----

    def save(self) -> dict[str, Any]:
        """What an execution met that was begun is known already; the next one goes on where it was."""
        steps = [self._events.steps[event] for event in self._line.events]
        linked = (
            *(self.states.saved(), self._events.saved(), self._path, steps, self._initial, self._announced, self._crew.saved()),
            self._able.saved(),
        )
        return {
            "finished": self.finished,
            "tally": self.tally.save(),
            "linked": Snapshot(_CLASSES, self._line.history.cells).pack(linked),
        }

    def load(self, saved: dict[str, Any], executor: Executor) -> None:
        """Raises Diverged if the program no longer goes the way that was saved."""
        self.finished = saved["finished"]
        self.tally.load(saved["tally"])
        linked = Snapshot(_CLASSES, self._line.history.cells).unpack(saved["linked"])
        states, events, self._path, steps, self._initial, self._announced, crew, able = linked
        self._able.load(able)
        self.states.load(states)
        self._events.load(events)
        self._crew.load(crew)
        self._line.begin(self._announced)
        for step in steps:
            self._line.push(step)
        go_again(executor, self._schedule(Numbering(self._crew, self._initial)), steps)
