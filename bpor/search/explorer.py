"""Explorer: the one loop. It asks the strategy for a plan, lets the executor run it, and gives the trace back.

Invariant: every search goes through here, so budgets, failures, livelocks and interruption are handled once.
bpor.errors.Diverged is not caught: a target that cannot be replayed makes every later claim worthless.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Protocol, cast

from bpor.errors import MemberLost, NoRoomOnDisk, OutOfTime
from bpor.lazy_dataclass import replace
from bpor.model.executor import Executor, Identifying
from bpor.model.exploration import Batch, Exploration
from bpor.model.plan import Plan
from bpor.model.schedule import Schedule
from bpor.model.trace import Outcome, Trace
from bpor.protocol.ops import Op
from bpor.search.budget import Budget, SearchStop
from bpor.search.lasso.found import Excused, Found, Polling, nothing_excused
from bpor.search.result import Failure, SearchResult
from bpor.search.strategy import Strategy

if TYPE_CHECKING:
    from bpor.search.gathering import Gathering
    from bpor.search.lasso.probe import Probed
    from bpor.search.livelock import Livelock, Starvation

EARLY = 16  # executions after which the states that are known are judged; then after twice as many, and so on
MAX_ROUNDS = 20_000  # steps of rounds that are alike but for what they count
MAX_ROUNDS_ALONE = 8  # rounds of one thread that are run, to say where they are
MAX_LOOKED = 4  # long executions whose states are compared
MAX_STOPS = 100  # failing executions that end a batch each; after them only a new way to fail does, or a cheaper execution of a known one
_GIVEN_UP = frozenset({SearchStop.SHARED, SearchStop.POLLING, SearchStop.UNCONTROLLED})  # why is not saved: see Explorer._loop
_UNCONTROLLED = frozenset({Outcome.REFUSED, Outcome.WATCHDOG})


class Observer(Protocol):
    """One with `batches = True` is content with a look at every batch of executions; any other sees every execution."""

    def executed(self, explorer: Explorer, plan: Plan, trace: Trace) -> None:
        """After every execution of the search. `explorer` shows executions, failures, strategy and budget so far."""
        ...


Frozen = tuple[str, list[bytes]]  # a search as text, and the tables of hashes it refers to (resume.py)


class Checkpoints(Protocol):
    """Saves the search now and then, for a later process (resume.py)."""

    def begin(self, explorer: Explorer, executor: Executor) -> None:
        """Puts back what an earlier process saved, if that is wanted. Raises CannotResume (resume.py), at most once."""
        ...

    def executed(self, explorer: Explorer) -> None:
        """After every execution, when everything is learned."""
        ...

    def forget(self) -> None:
        """What was saved turned out to be wrong."""
        ...

    @property
    def last(self) -> Frozen | None:
        """What this process saved last, if it did."""
        ...

    def end(self, explorer: Explorer) -> None:
        """The loop is over; at most one execution was begun of which nothing is learned."""
        ...


class Explorer:
    def __init__(
        self,
        executor: Executor,
        strategy: Strategy,
        budget: Budget,
        observers: Sequence[Observer] = (),
        checkpoints: Checkpoints | None = None,
        probe: Callable[[Identifying], Probed] | None = None,
        excused: Excused = nothing_excused,
        inferred: frozenset[int] | None = None,
        way: Callable[[Trace], object] | None = None,
        gathers: Callable[[Failure], bool] | None = None,
    ) -> None:
        """`probe`: looks for livelocks before the search (lasso/probe.py). `excused`: rounds that are none. `inferred`: call sites that are
        yields already; the search stops at a loop that has none (Stop.POLLING), unless this is None. `way`: in which an execution failed
        (Failure.way); None: every failing schedule is one of its own. `gathers`: does this failure end the search only after a while?"""
        self.strategy = strategy
        self.budget = budget
        self.executions = 0
        self.failures: list[Failure] = []
        self.failing = 0  # failing executions, those not kept included
        self._met = 0  # of them, those that came here one by one
        self._way, self._gathers = way, gathers
        self._gathering: Gathering | None = None  # since the first failure
        self._executor = executor
        self.starvation: Starvation | None = None
        self.seconds_before = 0.0  # spent by earlier processes, whose search this one goes on with
        self.observers = observers
        self._checkpoints = checkpoints
        self._settled = True  # the strategy is not in the midst of a change
        self._uncontrolled: Failure | None = None
        self._shared_state: tuple[str, ...] = ()
        self._probe, self._excused, self._inferred = probe, excused, inferred
        self._judge_at = EARLY
        self._looked = 0  # long executions, for a lasso
        self.polling: tuple[Polling, ...] = ()

    def run(self) -> SearchResult:
        self.budget.start()
        try:
            if self._checkpoints is not None:
                self._settled = False
                self._checkpoints.begin(self, self._executor)
                self._settled = True
            stop = self._begin_with_probes() or self._loop()
            if stop is SearchStop.EXHAUSTED and not self.failures:
                self._judge_states()
                self._note_unfair()
        except KeyboardInterrupt:
            stop = SearchStop.INTERRUPTED
        except OutOfTime:
            stop = SearchStop.MAX_TIME
        except NoRoomOnDisk:
            stop = SearchStop.DISK
        if self._checkpoints is not None and self._settled and stop not in _GIVEN_UP:
            cut = (MemberLost,) if stop in (SearchStop.INTERRUPTED, SearchStop.MAX_TIME) else ()
            with contextlib.suppress(OutOfTime, *cut):  # the one before is good enough
                self._checkpoints.end(self)
        return SearchResult(
            stop=stop,
            exhausted=stop is SearchStop.EXHAUSTED and self.strategy.exhausted,
            failures=tuple(self.failures),
            failing=self.failing,
            counts=self.strategy.counts,
            levels=self.strategy.levels(),
            seconds=self.seconds,
            executions=self.executions,
            uncontrolled=self._uncontrolled,
            starvation=self.starvation,
            shared_state=self._shared_state,
            polling=self.polling,
        )

    @property
    def seconds(self) -> float:
        return self.seconds_before + self.budget.elapsed

    def _begin_with_probes(self) -> SearchStop | None:
        """What ends the search before it begins. Probes count as executions only if they have found something."""
        if self._probe is None or self.executions:
            return None
        probed = self._probe(cast(Identifying, self._executor))
        if probed.silent is not None:
            self.executions += probed.executions
            self._uncontrolled = Failure(Schedule(), probed.silent)
            return SearchStop.UNCONTROLLED
        if probed.shared_state:  # whoever searches, this process or another, begins with it
            self._shared_state = probed.shared_state
            return SearchStop.SHARED
        if not self._fails_for_ever(probed.found):
            if self.polling:
                getattr(self.strategy, "expect_loops", _nothing)()
            return SearchStop.POLLING if self._polls_unseen() else None
        self.executions += probed.executions
        return self.budget.exhausted(self.executions, len(self.failures))

    def _polls_unseen(self) -> bool:
        if self._inferred is None or getattr(self.strategy, "recognises", False):
            return False  # a loop ends where it comes back to a state
        return any(loop.bare and loop.bare not in self._inferred for loop in self.polling)

    def _fails_for_ever(self, found: Found) -> bool:
        """Takes what is known of an endless execution; is it a livelock?"""
        self.polling = tuple(dict.fromkeys((*self.polling, *found.polling)))
        if found.lasso is None or found.checked is None:
            return False
        from bpor.search.lasso.leaving import Leaving, who_leaves
        from bpor.search.livelock import livelock_of

        trace = found.checked.trace
        leaving = who_leaves(self._executor, found.lasso, trace) if found.checked.is_proved else Leaving.UNKNOWN
        self._fail(Failure(found.lasso, trace, livelock_of(found.lasso, found.checked, leaving)))
        return True

    def _loop(self) -> SearchStop:
        while (plan := self._next_plan()) is not None:
            trace = self._run(plan)
            self._settled = False
            self.strategy.learn(trace)
            for one in (trace, *(trace.batch.others if trace.batch is not None else ())):
                self._take(plan, one)
            if self.polling:
                getattr(self.strategy, "expect_loops", _nothing)()
            self._settled = True
            if self._uncontrolled is not None:
                return SearchStop.UNCONTROLLED
            if self.executions >= self._judge_at and not self.failures:
                self._judge_at = 2 * self.executions
                self._judge_states()
            if self._shared_state and not self.failures:
                return SearchStop.SHARED
            if self._polls_unseen() and not self.failures:
                return SearchStop.POLLING
            stop = self.budget.exhausted(self.executions, self._ending())
            if stop is not None:
                # The last execution may have been the last there is: then nothing was stopped.
                return stop if stop is SearchStop.FINDINGS or not self._finished() else SearchStop.EXHAUSTED
            # Not before: what the search is given up for is not saved, and whoever went on from there would not know of it.
            if self._checkpoints is not None:
                self._checkpoints.executed(self)
        return SearchStop.EXHAUSTED

    def _ending(self) -> int:
        """Failures that may end the search."""
        if not self.failures or self._gathers is None:
            return len(self.failures)
        from bpor.search.gathering import Gathering  # for failures only

        self._gathering = self._gathering or Gathering(self._gathers)
        return 0 if self._gathering.goes_on(self.executions, self.failures) else len(self.failures)

    def _take(self, plan: Plan, trace: Trace) -> None:
        """What one execution, or a batch of them by one process, has shown."""
        if trace.batch is not None:
            self._count_failing(trace, trace.batch)
            plan = trace.batch.plan or plan
        self._judge(plan, trace)
        self._shared_state = trace.end.shared_state or self._shared_state
        if self._shared_state and not self.failures:
            return  # the search is given up, and begins again
        for observer in self.observers:
            observer.executed(self, plan, trace)

    def _finished(self) -> bool:
        plan = self._next_plan()
        if plan is not None and plan.exploration is not None:
            # What is beside the program only knows when it looks for the next execution; it need not run it.
            self.strategy.learn(self._executor.run(replace(plan, exploration=replace(plan.exploration, executions=0))))
            plan = self._next_plan()
        return plan is None

    def _next_plan(self) -> Plan | None:
        self._settled = False
        plan = self.strategy.next_plan()
        self._settled = True
        return plan

    def _run(self, plan: Plan) -> Trace:
        if plan.exploration is None:
            self.executions += 1
            return self._executor.run(plan)
        trace = self._executor.run(replace(plan, exploration=self._allow(plan.exploration, plan.limits.fair)))
        assert trace.batch is not None
        self.executions += trace.executions
        return trace

    def _allow(self, exploration: Exploration, fair: int | None) -> Exploration:
        """What may be done beside the program before we want to look."""
        most = self.budget.max_executions
        limits = [exploration.executions, None if most is None else max(most - self.executions, 1)]
        return replace(
            exploration,
            executions=min((limit for limit in limits if limit is not None), default=None),
            seconds=min(exploration.seconds, self.budget.left),
            stop_at_bug=self._met < MAX_STOPS,
            stop_at_step_limit=fair is not None or self.starvation is None,
            stop_at_shared_state=not self.failures,
        )

    def _count_failing(self, trace: Trace, batch: Batch) -> None:
        """The failing executions of a batch, but for the one that is judged."""
        self.failing += sum(count for outcome, count in batch.ended.items() if outcome.is_bug) - trace.end.outcome.is_bug

    def _judge(self, plan: Plan, trace: Trace) -> None:
        outcome = trace.end.outcome
        if outcome.is_bug:
            self._fail(Failure(schedule_of(plan, trace), trace))
        elif outcome in _UNCONTROLLED:
            self._uncontrolled = Failure(schedule_of(plan, trace), trace)
        elif outcome is Outcome.STEP_LIMIT:
            self._judge_step_limit(plan, trace)

    def _fail(self, failure: Failure) -> None:
        """Levels of a bound run the same schedule again, which is another execution and no other failure."""
        from bpor.search.failures import keep

        self.failing += 1
        self._met += 1
        keep(self.failures, replace(failure, way=self.way_of(failure)))

    def way_of(self, failure: Failure) -> object:
        return failure.schedule if self._way is None or failure.livelock is not None else self._way(failure.trace)

    def _judge_states(self) -> None:
        """A search that recognises states knows where the program can go on for ever."""
        lassos = getattr(self.strategy, "lassos", None)
        for lasso in lassos() if lassos is not None else ():
            if self._fails_for_ever(self._round(lasso)):
                return

    def _round(self, lasso: Schedule) -> Found:
        from bpor.search.lasso.find import find_round

        return find_round(self._executor, lasso, MAX_ROUNDS, self._excused)

    def _note_unfair(self) -> None:
        """The loops that end only if the scheduler is fair: other searches meet them in executions that reach the step limit."""
        rounds = getattr(self.strategy, "rounds_alone", None)
        if rounds is None or self.failures or self.polling:
            return
        from bpor.search.lasso.find import find_unfair

        for lasso in islice(rounds(), MAX_ROUNDS_ALONE):
            self._fails_for_ever(find_unfair(self._executor, lasso))

    def _identifies(self) -> bool:
        """May a long execution be run once more with its states? A few were looked at in vain: then no more are."""
        self._looked += 1
        return self._looked <= MAX_LOOKED and bool(getattr(self._executor, "identifies", False))

    def _judge_step_limit(self, plan: Plan, trace: Trace) -> None:
        """A livelock shows only in the whole execution, so one that came without its prefix is run once more."""
        from bpor.search.lasso.find import find_in_long
        from bpor.search.livelock import find_livelock, find_starvation

        fair = plan.limits.fair
        if fair is None and self.starvation is not None:
            return
        if any(operation.kind is Op.ASSUME for operation in trace.pending().values()):
            return  # it waits for a thread that the test does not let go on
        schedule = schedule_of(plan, trace)
        if trace.first:
            trace = self._run(Plan(prefix=schedule.threads, limits=plan.limits, max_steps=plan.max_steps))
        if self._identifies() and self._fails_for_ever(find_in_long(self._executor, trace, plan.max_steps, self._excused)):
            return
        if getattr(self.strategy, "short", False):
            return  # it may be long, and nothing else
        livelock: Livelock | None = find_livelock(trace, fair) if fair is not None else None
        if livelock is not None:
            self._fail(Failure(schedule, trace, livelock, fair))
        elif self.starvation is None:
            self.starvation = find_starvation(trace, fair)


def _nothing() -> None:
    pass


def schedule_of(plan: Plan, trace: Trace) -> Schedule:
    """The whole schedule of an execution whose trace may lack its replayed prefix."""
    return Schedule((*plan.prefix[: trace.first], *(step.choice for step in trace.steps)))
