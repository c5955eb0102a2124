"""LibraryTree: the same search as Tree, by libbpor_engine.so: the code that runs beside native programs, on any executor.

Invariant: the engine is told every step and chooses for itself what comes next; an executor whose policy chose otherwise is an error. So
each execution also compares Initialize in C with Initialize of the executor. Within bounds that executors do not know (`rule.asks`) they
ask the engine instead, step by step.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, ClassVar

from bpor.engine.library import ffi, load, options
from bpor.errors import Diverged, InternalError
from bpor.lazy_dataclass import asdict, replace
from bpor.model.operation import Footprint, ObjectAccess, Operation
from bpor.model.plan import Plan, State
from bpor.model.step import Step
from bpor.model.trace import Outcome, Trace
from bpor.search.bounds.bound import Bound
from bpor.search.coverage import Level
from bpor.search.engine.rule import Rule
from bpor.search.estimate import Estimate
from bpor.search.options import HAPPENS_BEFORE, MEMORY, OFF, SearchOptions
from bpor.search.tally import Tally


class LibraryTree:
    recognises: ClassVar[bool] = False  # states, by their memory

    def __init__(self, bound: Bound, rule: Rule, options: SearchOptions, total: Tally, library: Path | None = None) -> None:
        self.bound = bound
        self.rule = rule
        self.tally = Tally(options.distinct_cap)
        self.total = total
        self.begun = False
        self.finished = False
        self._options = options
        self._lib = load(library)
        self._stops = {
            Outcome.REDUNDANT: self._lib.BPOR_ENGINE_REDUNDANT,
            Outcome.OVER_BOUND: self._lib.BPOR_ENGINE_OVER_BOUND,
            Outcome.STEP_LIMIT: self._lib.BPOR_ENGINE_STEP_LIMIT,
            Outcome.MATCHED: self._lib.BPOR_ENGINE_MATCHED,
        }
        self._engine = ffi.gc(self._new(), self._lib.bpor_engine_free)
        self._arrays: dict[Footprint, Any] = {}
        self._hashes: list[int] = []  # of the executor, up to each step on the stack
        self._events: list[int] = []  # event hashes that are not counted yet
        self._plan = ffi.new("struct bpor_engine_plan *")
        self._operation = ffi.new("struct bpor_engine_operation *")
        self._outside = 0  # executions that were, as a tree that leads finds out
        self._moved = False  # a step was told in this execution
        self._told = 0  # how many were, while it ran
        self._chosen = 0  # what the engine answered last

    def _new(self) -> Any:
        given = options(asdict(self.rule.limits), self._options.max_steps, self._flags(), self._options.match_limit, **self._more_options())
        engine = self._lib.bpor_engine_new(given)
        if engine == ffi.NULL:
            raise InternalError("no memory for the tables of a search")
        return engine

    def _more_options(self) -> dict[str, Any]:
        return {}

    def _flags(self) -> int:
        lib, wanted = self._lib, self._options
        flags = lib.BPOR_ENGINE_SLEEP_SETS * (wanted.sleep_sets and self.rule.sleeps)
        flags |= lib.BPOR_ENGINE_TRANSITIVE_REDUCTION * wanted.transitive_reduction
        flags |= lib.BPOR_ENGINE_BOUND_OPTIMISATION * wanted.bound_optimisation
        flags |= lib.BPOR_ENGINE_RELEASE_OPTIMISATION * wanted.release_optimisation
        flags |= lib.BPOR_ENGINE_ANY_ORDER * wanted.any_order
        flags |= (lib.BPOR_ENGINE_KNOWN_STEPS | lib.BPOR_ENGINE_LEADS) * wanted.known_steps
        flags |= {OFF: 0, MEMORY: lib.BPOR_ENGINE_MATCH, HAPPENS_BEFORE: lib.BPOR_ENGINE_MATCH_CAUSAL}[wanted.match]
        flags |= lib.BPOR_ENGINE_EVERYTHING * (not self.rule.reduces)
        return int(flags)

    @property
    def _asks(self) -> bool:
        return self.rule.asks or self._options.match != OFF

    @property
    def _leaps(self) -> bool:
        """May parts of a prefix never have been executed, or not by the last execution?"""
        return self._options.known_steps

    # ---- the next execution ----

    def next_plan(self) -> Plan | None:
        lib, engine, plan = self._lib, self._engine, self._plan
        if not lib.bpor_engine_begin(engine):
            self._check()
            self.finished = True
            return None
        lib.bpor_engine_plan(engine, plan)
        prefix = tuple(plan.schedule[0 : plan.length])
        del self._hashes[max(plan.length - 1, 0) :]
        known = self._leaps  # then all of the prefix is compared, but for
        compared = known and not self._asks  # executors that are asked once it is over
        return Plan(
            prefix=prefix,
            prefix_hash=self._hashes[-1] if self._hashes and not known else None,
            sleep=self._sleepers(),
            limits=replace(self.rule.limits, preemption=None) if plan.leads else self.rule.limits,
            wake_next=bool(prefix) and self.rule.wakes_next and not plan.leads,
            max_steps=self._options.max_steps,
            report_from=0 if compared else max(len(prefix) - 1, 0),
            chooser=self._choose if self._asks else None,
            identify=self._options.match == MEMORY,
            match=self._options.match != OFF,
        )

    def _sleepers(self) -> tuple[tuple[int, Footprint], ...]:
        words, sleepers = iter(self._plan.sleeping[0 : self._plan.words]), []
        for thread in words:
            watch = [(next(words), next(words), next(words)) for _ in range(next(words))]
            sleepers.append((thread, tuple(ObjectAccess(number, bool(write), size) for number, size, write in watch)))
        return tuple(sleepers)

    # ---- the trace of the last plan ----

    def learn(self, trace: Trace) -> None:
        lib, engine = self._lib, self._engine
        self.begun = True
        outcome = trace.end.outcome
        if not self._told:
            self._follow(trace.first, dict(trace.initial))
        for step in trace.steps[self._told :]:
            if not self._told or not self._asks:
                self._expect(self._schedule(step), step.thread)
            self._tell(step)
        died = bool(trace.steps) and trace.steps[-1].ends_process
        if outcome is Outcome.STOPPED:
            outcome = next(each for each, stop in self._stops.items() if stop == self._chosen)
        elif not died:
            self._expect(self._schedule(trace), self._stops.get(outcome, lib.BPOR_ENGINE_NOBODY))
        lib.bpor_engine_end(engine, died)
        self._check()
        if died:
            self._events.append(lib.bpor_engine_event(engine))
        self._count(trace, outcome)
        self._told = 0
        self._moved = False

    def _follow(self, steps: int, initial: dict[int, Operation]) -> None:
        """So many steps of the execution are on the stack already."""
        if steps:
            self._lib.bpor_engine_follow(self._engine)
        for thread, operation in initial.items():
            self._announce(thread, operation)

    def _choose(self, state: State) -> int | None:
        """A chooser: asks the engine."""
        if not self._told:
            self._follow(max(state.index - 1, 0), state.pending if state.step is None else {})
        if state.step is not None:
            if not self._told:
                self._lib.bpor_engine_follow(self._engine)
                self._expect(self._schedule(state.step), state.step.thread)
            self._tell(state.step)
            self._told += 1
        if state.identity is not None:
            self._lib.bpor_engine_identify(self._engine, state.identity + 1, 0)
        self._chosen = self._schedule(state)
        self._check()
        return self._chosen if self._chosen >= 0 else None

    def _schedule(self, state: State | Step | Trace) -> int:
        """The state before a step, or the last one."""
        chosen = int(self._lib.bpor_engine_schedule(self._engine, state.enabled & ~state.timed, state.timed))
        if self._moved:  # the step before it is on the stack now
            self._events.append(self._lib.bpor_engine_event(self._engine))
        self._moved = False
        return chosen

    def _tell(self, step: Step) -> None:
        lib = self._lib
        self._moved = True
        flags = step.yields * lib.BPOR_ENGINE_YIELDED | step.cuts * lib.BPOR_ENGINE_CUT | step.failed * lib.BPOR_ENGINE_FAILED
        flags |= step.timed_out * lib.BPOR_ENGINE_TIMED_OUT | step.circles * lib.BPOR_ENGINE_CIRCLES
        if step.alternatives > 1:
            lib.bpor_engine_offer(self._engine, step.alternatives, 0 if step.source is None else step.source + 1)
        lib.bpor_engine_step(self._engine, flags, self._accesses(step.footprint), len(step.footprint))
        for thread, operation in step.announced:
            self._announce(thread, operation)
        for thread in step.finished:
            lib.bpor_engine_finish(self._engine, thread)
        self._hashes.append(step.hash)

    def _announce(self, thread: int, operation: Operation) -> None:
        told = self._operation
        told.thread, told.kind = thread, operation.kind.number
        told.target = self._lib.BPOR_ENGINE_NO_THREAD if operation.target is None else operation.target
        told.timed = operation.timed
        told.access, told.count = self._accesses(operation.footprint), len(operation.footprint)
        self._lib.bpor_engine_announce(self._engine, told)

    def _accesses(self, footprint: Footprint) -> Any:
        array = self._arrays.get(footprint)
        if array is None:
            array = ffi.new("struct bpor_engine_access[]", [(one.object, one.size, one.write) for one in footprint])
            self._arrays[footprint] = array
        return array

    def _expect(self, chosen: int, taken: int) -> None:
        self._check()
        if chosen != taken:
            raise InternalError(f"the engine chose {chosen} where the executor took {taken}")

    def _check(self) -> None:
        failed = self._lib.bpor_engine_failed(self._engine)
        if not failed:
            return
        error = ffi.string(self._lib.bpor_engine_error(self._engine)).decode()
        if failed == self._lib.BPOR_ENGINE_DIVERGED:
            raise Diverged(len(self._hashes), "what it had done before", error)
        raise InternalError(error)

    def _count(self, trace: Trace, outcome: Outcome) -> None:
        counts = self._counts
        if counts.contradicted_at:  # no simulated thread does: something is missing in the hash of an event
            raise InternalError(f"step {counts.contradicted_at}: a thread saw more than its causal past")
        before, self._outside = self._outside, counts.outside
        trace_hash = int(self._lib.bpor_engine_trace(self._engine)) if before == self._outside else None
        replayed = max(int(self._plan.length) - 1 - trace.first, 0)
        for tally in (self.tally,) if self.tally is self.total else (self.tally, self.total):
            tally.states.add_all(self._events)
            tally.ended(outcome, trace_hash, len(trace.steps) - replayed, trace)
        self._events.clear()

    # ---- what may be said ----

    @property
    def refused(self) -> int:
        return int(self._counts.refused)

    @property
    def _counts(self) -> Any:
        return self._lib.bpor_engine_count(self._engine)

    def level(self) -> Level:
        counts = self._counts
        refused = counts.refused if self.rule.limits.fair is None else max(counts.refused, counts.refused_states)
        told = replace(self.tally.counts(), walked=int(counts.walked), checked=int(counts.checked))
        return Level(self.bound, told, self.finished, int(refused), self.estimate())

    def estimate(self) -> Estimate:
        return _estimate(self._counts)


def _estimate(counts: Any) -> Estimate:
    return Estimate(counts.low, counts.expected, counts.high)
