"""StateWalk: cartesian search over an executor. A state is known by its happens-before graph and, where the executor identifies states, by
its identity too; equal graphs or equal identities are equal states. Without identities loops never come back to a state, and a thread that
spins alone for ever is cut by the step limit.

For every state one execution per enabled thread runs that thread alone: everybody else sleeps, so the executor is asked for whole runs,
not for steps. Who is enabled in a state was shown by the run that led to it; only for the first one, and where several threads ended
unnoticed, an execution looks. None of them is a schedule that was asked for as a whole, so those that are stopped count as redundant;
those that end by themselves are judged like any other. A thread that goes round is known by the states it comes through, so a run is
short at first and longer where that was too short. The first state that nobody can ever leave, although somebody goes round and round
in it, is shown by an execution up to the step limit.
"""

from __future__ import annotations

from itertools import takewhile

from bpor.lazy_dataclass import dataclass
from bpor.model.operation import Operation
from bpor.model.plan import Plan
from bpor.model.policy import threads_in
from bpor.model.solo import Halt, Solo, SoloMove, with_join
from bpor.model.step import Step
from bpor.model.trace import Outcome, Trace
from bpor.search.cartesian.vector import Prefix, cartesian_vector
from bpor.search.graphs.crew import GraphThreads, Numbering, created_by
from bpor.search.graphs.events import Events
from bpor.search.graphs.line import Line
from bpor.search.options import SearchOptions
from bpor.search.tally import Tally

Path = tuple[Step, ...]
Identity = int | None
_REACH = 64  # steps that a thread runs alone at first, where circles are recognised
_FURTHER = 8  # times as many, if that was too short


@dataclass(frozen=True, slots=True)
class Alone:
    """What one thread did alone, and the states it came through: the one before each step and the last, each with who is enabled there."""

    steps: Path
    states: tuple[Identity, ...]
    enabled: tuple[int, ...]
    solo: Solo

    def after(self, count: int, path: Path) -> Waiting:
        identity = self.states[count] if count < len(self.states) else None
        return Waiting((*path, *self.steps[:count]), identity, self.enabled[count])


@dataclass(frozen=True, slots=True)
class Waiting:
    """A state that was reached and not looked at."""

    path: Path
    identity: Identity = None
    enabled: int | None = None  # None: an execution has to look


class StateWalk:
    """`identify`: ask the executor which state it is in."""

    def __init__(self, options: SearchOptions, identify: bool = True) -> None:
        self.tally = Tally(options.distinct_cap)
        self.finished = False
        self.states = 0
        self.identified = False  # states had identities
        self.unidentified = ""  # why states had no identity, if some had none
        self._options = options
        self._identify = identify
        self._crew = GraphThreads()
        self._line = Line(Events())
        self._initial: tuple[int, ...] = ()
        self._begun = False
        self._covered: set[frozenset[int] | int] = set()  # graphs and identities
        self._waiting = [Waiting(())]
        self._path: Path = ()
        self._left: list[int] | None = None  # threads of the current state still to be run alone; None: it was not looked at
        self._alone: dict[int, Alone] = {}
        self._running: int | None = None
        self._reach = 0  # steps of the run that is under way
        self._endless: int | None = None  # a thread that goes round in the current state, which nobody can leave
        self.endless_shown = False  # by one execution that is cut

    # ---- the next execution ----

    def next_plan(self) -> Plan | None:
        if self._left is not None and not self._left and self._running is None:
            self._expand()
            if self._endless is not None and not self.endless_shown:
                return self._plan_endless(self._endless)
        while self._left is None:
            state = self._next_state()
            if state is None:
                self.finished = True
                return None
            if not state.enabled or (state.identity is None and self.identified):
                return self._plan_look()
            if self._cover(state.identity):
                self._left = list(threads_in(state.enabled))
        if self._running is None:
            self._running, self._reach = self._left.pop(), _REACH if self.identified else self._options.max_steps
        return self._plan_alone(self._running, self._reach)

    def _next_state(self) -> Waiting | None:
        while self._waiting:
            state = self._waiting.pop()
            self._go(state.path)
            if self._line.last not in self._covered and state.identity not in self._covered:
                return state
        return None

    def _go(self, path: Path) -> None:
        common = 0
        while common < min(len(path), len(self._path)) and path[common] is self._path[common]:
            common += 1
        while len(self._line) > common:
            self._line.pop()
        for step in path[common:]:
            self._line.push(step)
        self._path = path

    def _plan_look(self) -> Plan:
        numbering = Numbering(self._crew, self._initial)
        prefix = tuple(numbering.follow(step) for step in self._path)
        return Plan(prefix=prefix, report_from=len(prefix), stop_after_prefix=True, identify=self._identify)

    def _plan_alone(self, thread: int, reach: int) -> Plan:
        """Nothing wakes the others: what they watch is nothing."""
        numbering = Numbering(self._crew, self._initial)
        prefix = tuple(numbering.follow(step) for step in self._path)
        others = [each for each, state in self._line.history.threads.items() if each != thread and state.operation is not None]
        return Plan(
            prefix=(*prefix, numbering.number(thread)),
            sleep=tuple((numbering.number(each), ()) for each in others),
            max_steps=min(len(prefix) + reach, self._options.max_steps),
            report_from=len(prefix),
            identify=self._identify,
        )

    def _plan_endless(self, thread: int) -> Plan:
        numbering = Numbering(self._crew, self._initial)
        prefix = (*(numbering.follow(step) for step in self._path), numbering.number(thread))
        return Plan(prefix=prefix, max_steps=self._options.max_steps, report_from=len(prefix))

    # ---- the trace of the last plan ----

    def learn(self, trace: Trace) -> None:
        if self._endless is not None and not self.endless_shown:
            self.endless_shown = True
            self.tally.ended(trace.end.outcome, None, len(trace.steps), trace)
            return
        if not self._begun:
            self._begun = True
            self._initial = tuple(thread for thread, _ in trace.initial)
            self._line.begin(Numbering(self._crew, self._initial).members(trace.initial))
        numbering = Numbering(self._crew, self._initial)
        for step in self._path:
            numbering.follow(step)
        steps = tuple(numbering.translate(step) for step in trace.steps)
        self.unidentified = self.unidentified or trace.unidentified
        self.identified |= bool(trace.states)
        enabled = numbering.mask(trace.enabled)
        outcome = Outcome.REDUNDANT if trace.end.outcome is Outcome.STOPPED else trace.end.outcome
        if self._left is None:
            if self._cover(trace.states[0] if trace.states else None):
                self._left = list(threads_in(enabled))
        elif self._is_short(trace):
            self._reach *= _FURTHER
            outcome = Outcome.REDUNDANT
        else:
            told = self._note(steps, enabled, trace)
            outcome = Outcome.REDUNDANT if told and outcome is Outcome.STEP_LIMIT else outcome
        self.tally.ended(outcome, self._hash(steps), len(steps), trace)

    def _is_short(self, trace: Trace) -> bool:
        """The run was cut before it came to anything, and may go on."""
        cut = trace.end.outcome is Outcome.STEP_LIMIT and len(self._path) + self._reach < self._options.max_steps
        return cut and _circle(trace.states) is None

    def _cover(self, identity: Identity) -> bool:
        """False: the current state turns out to be one that is covered already."""
        known = identity in self._covered
        self._covered.add(self._line.last)
        if identity is not None:
            self._covered.add(identity)
        self.states += not known
        return not known

    def _hash(self, steps: Path) -> int:
        for step in steps:
            self._line.push(step)
            self.tally.states.add(self._line.history.event_hash)
        value = self._line.history.trace_hashes[-1]
        for _ in steps:
            self._line.pop()
        return value

    def _note(self, steps: Path, enabled: int, trace: Trace) -> bool:
        """What the thread did alone; if it made a thread and then waits, that one went on in the same run. True: that is all it ever does
        alone, it goes round or waits, so that a step limit has cut nothing of it."""
        thread = self._running
        assert thread is not None
        self._running = None
        masks = (*(step.enabled for step in steps), enabled)
        mine = tuple(takewhile(lambda step: step.thread == thread, steps))
        astray, steps = len(mine) < len(steps), mine
        circle = _circle(trace.states[: len(steps) + 1])
        steps = steps if circle is None else steps[:circle]
        moves = tuple(
            SoloMove(with_join(step.operation.kind, step.footprint, step.operation.target), step.ends_process, bool(created_by(step)))
            for step in steps
        )
        wanted = _announced(steps, thread)
        if steps[-1].ends_process:
            solo = Solo(moves, Halt.OVER)
        elif circle is not None:
            solo = Solo(moves, Halt.CIRCLE)
        elif trace.end.outcome is Outcome.STEP_LIMIT and len(steps) == len(trace.steps):
            solo = Solo(moves, Halt.CUT)
        elif wanted is None:
            solo = Solo(moves, Halt.ENDED)
        else:
            solo = Solo(moves, Halt.WAITS, with_join(wanted.kind, wanted.footprint, wanted.target))
        self._alone[thread] = Alone(steps, trace.states, masks, solo)
        return astray or circle is not None

    def _expand(self) -> None:
        """Everything about the current state is known: the states after it."""
        solos = {thread: alone.solo for thread, alone in self._alone.items()}
        for thread, state in self._line.history.threads.items():
            operation = state.operation
            if operation is not None and thread not in solos:
                solos[thread] = Solo((), Halt.WAITS, with_join(operation.kind, operation.footprint, operation.target))
        vector = cartesian_vector(solos)
        self._endless = _endless(solos, vector)
        together: Path = ()
        for thread, prefix in vector.items():
            if prefix.length == 0:
                continue
            alone = self._alone[thread]
            steps = alone.steps[: prefix.length]
            if not prefix.infinite and not steps[-1].ends_process:
                self._waiting.append(alone.after(prefix.length, self._path))
            elif prefix.ended:
                together += steps
        if together:
            self._waiting.append(Waiting((*self._path, *together)))
        self._alone, self._left = {}, None


def _announced(steps: Path, thread: int) -> Operation | None:
    """What the thread does next, after its last step."""
    return dict(steps[-1].announced).get(thread)


def _circle(states: tuple[Identity, ...]) -> int | None:
    """After how many steps a state is met again; None: none is."""
    met: set[Identity] = set()
    for index, state in enumerate(states):
        if state is not None and state in met:
            return index
        met.add(state)
    return None


def _endless(solos: dict[int, Solo], vector: dict[int, Prefix]) -> int | None:
    """A thread that goes round for ever where every other one does so too, or waits for what none of them will do."""
    if any(prefix.ended or (prefix.length and not prefix.infinite) for prefix in vector.values()):
        return None
    return next((thread for thread, solo in solos.items() if solo.halt is Halt.CIRCLE), None)
