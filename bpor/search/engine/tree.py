"""Tree: depth-first search by re-execution, with backtrack points from races, sleep sets and a bound's rule.

This is Explore of BPOR (2013, Alg. 1 and 2; our corrections are listed in docs/algorithm.md), without recursion: a stack of frames, one
plan per leaf. The executor runs ahead of us; `learn` replays its new steps on the stack, and only those.
Invariant: frames[k] is the state before step k; len(history) == len(frames) - 1 between calls, until nothing is left to try; frames[-1] is
where the next choice is made.

It may also be only a subtree: what lies below one choice of a tree that somebody else owns (trunk.py). Its first execution runs the whole
way there; the first `root` frames are not its own, and threads to be tried at them are only noted in `wanted`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from bpor.errors import Diverged, InternalError
from bpor.lazy_dataclass import replace
from bpor.model.choice import choice_of
from bpor.model.exploration import Above, Subtree
from bpor.model.plan import Plan
from bpor.model.policy import threads_in
from bpor.model.schedule import Schedule
from bpor.model.step import Step
from bpor.model.trace import End, Outcome, Trace
from bpor.search.bounds.bound import Bound
from bpor.search.coverage import Level
from bpor.search.engine.frame import Frame
from bpor.search.engine.history import History
from bpor.search.engine.postconditions import Postconditions
from bpor.search.engine.rule import Rule
from bpor.search.engine.sleep import Sleep
from bpor.search.engine.watch import Watch
from bpor.search.estimate import Estimate, estimate
from bpor.search.options import SearchOptions
from bpor.search.tally import Tally


class Tree:
    recognises: ClassVar[bool] = False  # states, by their memory

    def __init__(self, bound: Bound, rule: Rule, options: SearchOptions, total: Tally | None = None, below: Subtree | None = None) -> None:
        self.bound = bound
        self.rule = rule
        self.options = options
        self._jumping = rule.release_optimisation and options.release_optimisation
        self.history = History(track_locks=self._jumping)
        self.frames: list[Frame] = []
        self.tally = Tally(options.distinct_cap)
        self.total = total if total is not None else Tally(options.distinct_cap)
        self.refused = 0  # states at which the bound refused a thread that the search wanted
        self.finished = False
        self.begun = False
        self._states: list[int] = []  # event hashes that are not counted yet
        self.root = 0 if below is None else len(below.schedule)
        self.wanted = [[0, 0] for _ in range(self.root)]
        self._below = below
        self._leading = max(self.root - 1, 0)  # steps that only lead to the first choice of a subtree
        sleeping = rule.sleeps and options.sleep_sets and not options.check_postconditions
        self._sleep = Sleep(rule, self.history, options.any_order) if sleeping else None
        self._checks = Postconditions(self) if options.check_postconditions else None
        self._max_steps = min(options.max_steps, rule.max_steps if rule.max_steps is not None else options.max_steps)

    # ---- the next execution ----

    def next_plan(self) -> Plan | None:
        if not self.begun:
            return self._first_plan()
        while len(self.frames) > self.root:
            frame = self.frames[-1]
            if self._goes_on(frame):
                return self._plan_chosen(frame)
            if _left_to_try(frame):  # else nothing that its last choice taught will be asked for
                self.history.pop_to(frame.index)
                self._finish_choice(frame)
                thread = self._pick(frame)
                if thread is not None:
                    return self._plan(frame, thread)
            self._leave(frame)
        self.finished = True
        return None

    def _first_plan(self) -> Plan:
        below = self._below
        if below is None:
            return Plan(limits=self.rule.limits, max_steps=self._max_steps, chooser=self.rule.chooser(self, None))
        return Plan(
            prefix=below.schedule,
            prefix_hash=below.hash if len(below.schedule) > 1 else None,
            sleep=below.sleep,
            limits=self.rule.limits,
            wake_next=self.rule.wakes_next,
            max_steps=self._max_steps,
        )

    def _goes_on(self, frame: Frame) -> bool:
        """Has the thread being tried an alternative left? It is done, and may sleep, after the last."""
        if frame.alternative + 1 >= frame.alternatives or frame.chosen is None:
            return False
        self.history.pop_to(frame.index)
        frame.alternative += 1
        if self._sleep is not None:
            self._sleep.go_on(frame, self.frames[frame.block])
        return True

    def _plan(self, frame: Frame, thread: int) -> Plan:
        self._choose(frame, thread)
        return self._plan_chosen(frame)

    def _plan_chosen(self, frame: Frame) -> Plan:
        thread = frame.chosen
        assert thread is not None
        hashes = self.history.step_hashes
        return Plan(
            prefix=(*self.history.choices, choice_of(thread, frame.alternative)),
            prefix_hash=hashes[-1] if hashes else None,
            sleep=self._sleep.plan(frame, thread) if self._sleep is not None else (),
            limits=self.rule.limits,
            wake_next=self.rule.wakes_next,
            max_steps=self._max_steps,
            report_from=frame.index,
            chooser=self.rule.chooser(self, thread),
        )

    def sleepers(self, thread: int) -> dict[int, Watch]:
        """Who sleeps when `thread` leaves the top of the stack, before its step wakes anybody: for a chooser."""
        return {} if self._sleep is None else self._sleep.sleepers(self.frames[-1], thread)

    def _pick(self, frame: Frame) -> int | None:
        """The next thread to try."""
        while (thread := frame.next_ready()) is not None:
            frame.done |= 1 << thread
            if frame.asleep(thread):
                continue
            if self.rule.allows(self, frame, thread):
                return thread
            self._refuse(frame)
        return None

    def _refuse(self, frame: Frame) -> None:
        self.refused += frame.refuse()

    def _choose(self, frame: Frame, thread: int) -> None:
        frame.chosen = thread
        frame.alternative, frame.alternatives = 0, 1
        frame.watch = frame.step_watch = None
        frame.kept = ()
        frame.partial = True
        frame.runs_before = self.tally.executions
        frame.block = self._block_of(frame, thread)

    def _block_of(self, frame: Frame, thread: int) -> int:
        goes_on = thread == frame.last and not frame.free
        return self.frames[frame.index - 1].block if goes_on else frame.index

    def _finish_choice(self, frame: Frame) -> None:
        thread = frame.chosen
        if thread is None:
            return
        frame.chosen = None
        if self._sleep is not None and not frame.cyclic:
            self._sleep.fall_asleep(frame, thread)
        if (frame.backtrack | frame.conservative) & ~(1 << thread):
            if frame.sizes is None:
                frame.sizes = []
            frame.sizes.append(self.tally.executions - frame.runs_before)

    def _leave(self, frame: Frame) -> None:
        if self._checks is not None:
            self._checks.leave(frame)
        self.frames.pop()
        if self.frames:
            before = self.frames[-1]
            before.exceeded |= frame.exceeded
            partial = frame.exceeded or any(not frame.whole >> sleeper & 1 for sleeper in frame.sleep)
            before.partial = partial or (before.alternative > 0 and before.partial)

    # ---- the trace of the last plan ----

    def learn(self, trace: Trace) -> None:
        self.rule.settle(self)
        if not self.begun:
            self._begin(trace)
        known = len(self.history) - trace.first
        if known < 0:
            raise InternalError(f"the trace begins at step {trace.first}, step {len(self.history)} was asked for")
        steps = trace.steps[known:] if known else trace.steps
        leading = self._leading if not self.history.schedule else 0
        if len(steps) < leading + bool(leading or self.history.schedule) and trace.end.outcome.is_complete:
            raise Diverged(len(self.history), f"thread {self.frames[-1].chosen}", f"the end of the execution ({trace.end.outcome.value})")
        follower = iter(steps)
        next(follower, None)
        learned = 0
        for step in steps:
            learned += 1
            if self._advance(step, trace, next(follower, None)):
                trace = replace(trace, end=End(Outcome.MATCHED))
                break
        self._cut()
        self._end(trace, learned - leading)

    def put_back(self, trace: Trace) -> None:
        """The stack of an earlier process, from the execution that leads to its top (tree_state.py fills in what that knew)."""
        self._begin(trace)
        follower = iter(trace.steps[1:])
        for step in trace.steps:
            self._advance(step, trace, next(follower, None))
        self._cut()

    def _cut(self) -> None:
        """The steps of an execution are on the stack."""
        if self._sleep is not None:
            self._sleep.cut()
        for tally in self._tallies():
            tally.states.add_all(self._states)
        self._states.clear()

    def _tallies(self) -> tuple[Tally, ...]:
        return (self.tally,) if self.tally is self.total else (self.tally, self.total)

    def _begin(self, trace: Trace) -> None:
        self.begun = True
        if not self.history.threads:
            self.history.begin(trace.initial)
        first = trace.steps[0] if trace.steps else None
        frame = Frame(0, *((first.enabled, first.timed) if first else (trace.enabled, trace.timed)), None)
        self.rule.enter(self, frame, None, None)
        self._push(frame)
        if first is not None:
            self._initialize(frame, first)

    def _advance(self, step: Step, trace: Trace, following: Step | None) -> bool:
        """Puts a step on the stack. True: the state it led to is one whose future is known, and what followed there teaches nothing."""
        rule, history, before = self.rule, self.history, self.frames[-1]
        if before.chosen != step.thread:
            raise InternalError(f"step {before.index} was of thread {step.thread}, thread {before.chosen} was chosen")
        self._offered(before, step)
        rule.observe(self, step)
        known = before.index < self._leading
        if rule.reduces and not known and _depends_on_all(before, step):
            self._detect_all(step.thread)
        racers = history.push(step)
        self._states.append(history.event_hash)
        state = following if following is not None else trace
        frame = Frame(before.index + 1, state.enabled, state.timed, step.thread)
        frame.stale = before.stale + step.stale
        rule.enter(self, frame, before, step)
        self._push(frame)
        if not known:
            if self._sleep is not None:
                self._sleep.push(before, step, frame)
            if rule.reduces:
                self._detect_races(before.index, racers, step)
                self._detect_idle(frame)
        if self._checks is not None:
            self._checks.push(step)
        if frame.enabled and self._recognises(frame):
            return True
        if following is not None:
            self._initialize(frame, following)
        return False

    def _offered(self, frame: Frame, step: Step) -> None:
        """How many ways the step of the thread being tried may go. The bound refuses all but the first, or none: they cost the same."""
        if frame.alternative:
            return
        operation = self.history.operation(step.thread) if step.alternatives > 1 else None
        refused = operation is not None and not self.rule.allows_alternative(frame, operation)
        frame.alternatives = 1 if refused else step.alternatives
        if refused:
            self.refused += frame.refuse() and frame.index >= self.root

    def _recognises(self, frame: Frame) -> bool:
        """Is the future of the top of the stack known? Races with the steps on the stack are looked for by now."""
        return False

    def _push(self, frame: Frame) -> None:
        self.frames.append(frame)
        if self._below is not None and len(self.frames) == len(self._below.schedule):
            frame.sleep = {thread: self.history.cells.resolve(footprint).watch for thread, footprint in self._below.sleep}

    def _initialize(self, frame: Frame, following: Step) -> None:
        """The executor's policy is the bound's Initialize: what it chose is the first thread to be tried."""
        thread = following.thread
        if thread in frame.sleep:
            raise InternalError(f"the executor ran thread {thread} at step {frame.index}, which sleeps there")
        self._choose(frame, thread)
        frame.done |= 1 << thread
        # In an idle state every timed waiter may be the first whose time is up (erratum E22).
        wanted = 1 << thread | frame.timed | self.rule.initial(self, frame, thread)
        frame.backtrack |= wanted

    def _end(self, trace: Trace, steps: int) -> None:
        outcome = self.rule.outcome(trace.end.outcome)
        frame = self.frames[-1]
        if outcome is Outcome.OVER_BOUND:
            self._refuse(frame)
        if outcome in (Outcome.OVER_BOUND, Outcome.REDUNDANT):
            frame.backtrack |= frame.timed
        trace_hash = self.history.trace_hashes[-1]
        for tally in self._tallies():
            tally.ended(outcome, trace_hash, steps, trace)
        if self._checks is not None:
            self._checks.end()

    # ---- races ----

    def _detect_races(self, index: int, racers: int, step: Step) -> None:
        history, reduction = self.history, self.options.transitive_reduction
        if racers:
            for thread in threads_in(racers):
                self._race(index, thread)
        self.rule.enabled_by(self, index, step)
        for thread, _ in step.announced:
            # A thread that was just created cannot run before its creation: that is no option of the search.
            reduced = reduction or thread != step.thread
            for racing in history.direct_dependents(thread) if reduced else history.last_dependents(thread):
                self._race(racing, thread)

    def _detect_all(self, thread: int) -> None:
        for racing in self.history.uncovered(thread, self.history.last_of_others(thread)):
            self._backtrack(racing, thread)

    def _detect_idle(self, frame: Frame) -> None:
        """What may time out only where the fair bound keeps somebody waiting depends on all before it, even if it is never run: the other
        bound may refuse it (erratum E63). Under a preemption bound leaving an idle state is free."""
        if frame.timed and frame.enabled & ~frame.timed and self.rule.knows_whole:
            for thread in threads_in(frame.timed):
                self._detect_all(thread)

    def _race(self, index: int, thread: int) -> None:
        if self._jumping:
            operation = self.history.operation(thread)
            if operation is not None:
                index = self.history.locks.moved(index, operation)
        self._backtrack(index, thread)

    def _backtrack(self, index: int, thread: int) -> None:
        """`thread` is to be tried before step `index`, and wherever else the bound asks for it then."""
        self.rule.backtrack(self, index, thread)

    def add(self, index: int, thread: int, conservative: bool = False) -> None:
        """Add: one thread if it can run at that state, else all that can (disabled, not created, asleep or fair-blocked: E5, E8)."""
        frame = self.frames[index]
        bit = 1 << thread
        can_run = frame.enabled & bit and not frame.fair_blocked & bit and not frame.asleep(thread)
        own = index >= self.root  # else its owner knows who sleeps there
        self.add_mask(index, bit if can_run or not own else frame.enabled, conservative)

    def all_enabled(self, index: int, conservative: bool = False) -> None:
        """Every thread that can run is to be tried at a state."""
        self.add_mask(index, self.frames[index].enabled, conservative)

    def add_mask(self, index: int, threads: int, conservative: bool) -> None:
        """Threads that can run there are to be tried at a state."""
        frame = self.frames[index]
        if not conservative:
            frame.raced |= threads
        if index < self.root:
            self.wanted[index][conservative] |= threads
        elif conservative and self.options.bound_optimisation:
            frame.conservative |= threads
        else:
            frame.backtrack |= threads

    # ---- a subtree and the frames above it ----

    def raise_root(self, root: int) -> None:
        """So many frames belong to somebody else from now on."""
        self.wanted += [[0, 0] for _ in range(root - self.root)]
        self.root = root

    def above(self) -> Above | None:
        if not self.root or not self.begun:
            return None
        choice = self.frames[self.root - 1]
        watch = choice.watch.footprint() if choice.watch is not None and choice.watch.usable else None
        wanted = tuple((backtrack, conservative) for backtrack, conservative in self.wanted)
        return Above(wanted, choice.exceeded, watch, choice.alternatives, choice.refused)

    # ---- what may be said ----

    def lassos(self) -> Iterator[Schedule]:
        """Endless fair schedules, where states are recognised."""
        return iter(())

    def rounds_alone(self) -> Iterator[Schedule]:
        """Endless schedules in which one thread alone goes round, where states are recognised."""
        return iter(())

    def level(self) -> Level:
        refused = self.refused
        counts = self.tally.counts()
        if self.rule.limits.fair is not None:
            refused = max(refused, counts.refused_states)
        return Level(self.bound, counts, self.finished, refused, self.estimate())

    def estimate(self) -> Estimate | None:
        if self.finished:
            return Estimate(self.tally.executions, self.tally.executions, self.tally.executions)
        return estimate((frame.sizes or (), self._untried(frame)) for frame in reversed(self.frames[self.root :]))

    def _untried(self, frame: Frame) -> int:
        """How many threads will surely be tried at a frame."""
        return sum(not frame.asleep(thread) and not self.rule.refuses(frame, thread) for thread in threads_in(_left_to_try(frame)))


def _depends_on_all(frame: Frame, step: Step) -> bool:
    """Does a step depend on everything before it, though what was announced does not say so?

    One does that turns out to end the process, by a crash in what follows it (erratum E21); and a timeout where the fair bound keeps
    somebody waiting: every step before may have been the one without which the state would not be idle (erratum E48).
    """
    if step.ends_process and not step.operation.kind.ends:
        return True
    return bool(frame.timed >> step.thread & 1 and frame.enabled & ~frame.timed)


def _left_to_try(frame: Frame) -> int:
    """Mask of the threads."""
    return (frame.backtrack | frame.conservative if frame.exceeded else frame.backtrack) & ~frame.done
