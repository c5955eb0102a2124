"""Searching: the search of one target, begun anew whenever a race was found that is to be explored (--races=explore), or state of the
process that threads share (--process-state).

Invariant: what it tells (the result, what was seen of the executions) is that of the last search alone, whose settings are `settings`; the
time is that of all of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, cast

from bpor.confirmation import MINIMIZE_SECONDS, Recovering, WidenedExecutor, plan_of, same, smallest, way_of
from bpor.errors import Contradicted, Diverged, EngineUnfit, MemberLost, OffersAlternatives, OutOfTime, UsageError
from bpor.knobs.values import process_states, visible_places
from bpor.lazy_dataclass import replace
from bpor.model.deadline import Deadline
from bpor.model.executor import Identifying
from bpor.model.plan import Plan
from bpor.model.schedule import Schedule
from bpor.model.trace import OFFERED, Description, Outcome, Trace
from bpor.report.backing_off import BackingOff
from bpor.report.observers import Contradictions, Cuts, Excuses, InferredYields, Interchanged, OfferedSoFar, OldValues, Orders, Outputs
from bpor.report.program_names import ProgramNames
from bpor.search.bounds import parse_bound
from bpor.search.bounds.bound import Bound, BoundKind
from bpor.search.budget import Budget, SearchStop
from bpor.search.clean import Clean
from bpor.search.explorer import Checkpoints, Explorer, Observer
from bpor.search.lasso import probe as probes
from bpor.search.lasso.found import Polling
from bpor.search.lasso.probe import Probed
from bpor.search.options import ALL, AUTO, OFF, SAMPLED, SearchOptions
from bpor.search.registry import make_strategy
from bpor.search.result import Failure, SearchResult
from bpor.search.resume import CannotResume
from bpor.search.room import within
from bpor.search.strategies.widening import Widening
from bpor.search.strategy import Strategy
from bpor.settings import STRONG, Settings
from bpor.suppressing import Suppressing
from bpor.target.doubts import Doubts
from bpor.visible_races import with_races_visible

if TYPE_CHECKING:
    from bpor.racing_sites import RacingSites
    from bpor.report.sealed import SealedSites
    from bpor.report.suppressions import Suppression


_DRAWN = 64  # executions that are drawn at once
_ROUNDS = 8


class Searching:
    result: SearchResult

    def __init__(
        self,
        executor: WidenedExecutor,
        settings: Settings,
        observers: Sequence[Observer],
        engine: str,
        deadline: Deadline | None = None,
        probed: bool = False,
        doubts: Doubts | None = None,
        recovering: Recovering = same,
    ) -> None:
        self.settings, self._recovering = settings, recovering
        self._doubts = doubts or Doubts()
        self._executor, self._observers, self._engine = executor, observers, engine
        self._names = ProgramNames()
        self._names.attach(self._describe)
        self._seal = _sealed(settings.seal) if settings.seal is not None else None
        if self._seal is not None:
            self._seal.attach(self._describe)
        self._suppressions = _suppressions(settings.suppressions) if settings.suppressions is not None else ()
        self._deadline = deadline or Deadline(settings.max_time)  # of all searches together
        self._shared_state: tuple[str, ...] = ()  # what the last search was given up for
        self._polled: tuple[Polling, ...] = ()  # by the searches before this one
        self._contradicted: int | None = None  # why known steps are not used any more: see Contradictions
        self._excused = BackingOff(self._describe)
        self.strong: SearchResult | None = None  # of the search in sequentially consistent memory, if this one is of a weaker
        self._draws = 0  # executions, if this is no search but looks for races
        self._rounds = 0  # of such draws so far
        self._given_up: Widening | None = None  # the search before this one
        self._racing: RacingSites | None = None
        self._loses = False  # has a search been given up that was long?
        self._clean: Clean | None = None  # what it has completed, and with which settings
        self._alternatives = bool(settings.faults)  # steps may go several ways, whatever the memory
        self._match = OFF if self._alternatives and settings.match == AUTO else _match_of(settings, engine)
        self.interchanged = Interchanged()
        self._probed = probed and settings.bound is None and settings.search is None  # by the default search alone

    def run(self, checkpoints: Checkpoints | None) -> None:
        """A race that becomes an operation is nobody's finding: it is neither made small nor confirmed."""
        if self.settings.match not in (OFF, AUTO):
            checkpoints = None  # identities mean nothing to a later process
        try:
            self._search(checkpoints)
        except CannotResume:
            self._search(checkpoints)  # with a strategy and observers that have seen nothing of it
        while self._begins_again():
            known = self.known
            if not self._drew_a_bug():
                self._search(None)
            self.known.remember(known)

    def _begins_again(self) -> bool:
        if self.result.stop is SearchStop.INTERRUPTED:
            return False
        return self._widens() or self._infers() or self._weakens()

    def _widens(self) -> bool:
        try:
            wider = self._wider()
        except KeyboardInterrupt:  # executions are described, which may take long: the last search is what there is
            self.result = replace(self.result, stop=SearchStop.INTERRUPTED)
            return False
        if wider is None:
            return False
        self.settings = wider
        self._executor.widen(visible_places(wider.visible), wider.process_state, wider.memory)
        return True

    def _drew_a_bug(self) -> bool:
        """Each search that is given up for a race is lost, and makes one place an operation. So after a long one executions are drawn,
        and what races in them becomes operations at once. True: one of them failed in another way, and no bound was asked for that it may
        be beyond, or there was an interrupt."""
        settings = self.settings
        raced = any(failure.trace.end.outcome is Outcome.RACE for failure in self.result.failures)
        if not raced or not self._was_long or not self._can_draw:
            return False
        self._draws = max(_DRAWN, self.result.counts.executions // 8)
        try:
            for _ in range(_ROUNDS):
                self._search(None)
                interrupted = self.result.stop is SearchStop.INTERRUPTED
                if interrupted or self._alternatives or not self._widens():
                    break
            else:
                return False
        finally:
            self._draws = 0
        if self.result.stop is SearchStop.INTERRUPTED:
            self.result = replace(self.result, failures=())
            return True
        return bool(self.result.failures) and settings.bound is None

    def _weakens(self) -> bool:
        """All was run in sequentially consistent memory, and the memory of C11 would have shown more: then that is searched."""
        done = self.result.stop is SearchStop.EXHAUSTED and not self.result.failures and self.result.exhausted
        settings = replace(self.settings, memory="c11", symmetry=OFF, retries=ALL)
        if self.settings.memory != "auto" or not done or not self.old_values.seen & OFFERED or _against_weak(settings):
            return False
        self.settings, self.strong, self._match, self._probed = settings, self.result, OFF, False
        self._executor.widen(visible_places(settings.visible), settings.process_state, settings.memory)
        return True

    @property
    def _can_draw(self) -> bool:
        """Does a drawn execution mean what one of the search does, and is there one process that draws?"""
        settings = self.settings
        plain = settings.search in (None, "bpor", "dpor") and settings.memory in STRONG and not _stands_for_others(settings)
        alone = self._engine == "native" and settings.workers == 1 and settings.cluster is None
        every = settings.match in (OFF, AUTO) and not self._alternatives and self._seal is None
        return plain and alone and every and settings.max_executions is None

    def _infers(self) -> bool:
        """A loop without a yield was seen to come back to its state: from now on there is one in it, so that a fair bound ends it."""
        if self.result.stop is not SearchStop.POLLING:
            return False
        self._polled, self._match, self._clean = self.polling, OFF, None  # its states never come back, or cannot be told apart
        cast(Identifying, self._executor).infer(tuple(loop.bare for loop in self._polled if loop.bare))
        return True

    @property
    def polling(self) -> tuple[Polling, ...]:
        """Loops that were seen to come back to their state, by any search."""
        return tuple(dict.fromkeys((*self._polled, *self.result.polling)))

    def _wider(self) -> Settings | None:
        """Settings in which what was found to be shared is an operation; None: nothing was."""
        if self._shared_state:
            explored = (*process_states(self.settings.process_state), *self._shared_state)
            return replace(self.settings, process_state=",".join(explored))
        wider = self._with_races(self.settings)
        return self._with_sites(wider) if self._doubts.patched and (wider is not None or self._loses) else wider

    def _with_sites(self, wider: Settings | None) -> Settings | None:
        """Once a search was lost to a race, instructions that race are operations as well."""
        from bpor.racing_sites import RacingSites, without_sites

        if wider is None:
            wider = self._with_races(without_sites(self.settings))  # there may have been no room
        if wider is None:
            return None
        self._racing = self._racing or RacingSites()
        with suppress(OutOfTime, Diverged):  # the next search says so
            for failure in filter(self._is_passed, self.result.failures):
                self._note_sites(failure, self._racing)
        self._loses = self._loses or self._was_long
        return self._racing.added(wider) if self._loses else wider

    @property
    def _was_long(self) -> bool:
        """It is worth looking for other races before the next search."""
        from bpor.search.gathering import WORTH

        return self.result.counts.executions >= WORTH

    def _with_races(self, settings: Settings) -> Settings | None:
        return with_races_visible(settings, self.result.failures, self.known.passable, self._doubtful)

    def _note_sites(self, failure: Failure, racing: RacingSites) -> None:
        """Of both accesses: only a described execution tells the earlier one's."""
        trace, description = self._executor.describe(plan_of(failure.schedule, self.settings))
        end = trace.end
        if end.outcome is Outcome.RACE:
            racing.note(end, any(self._doubts.is_patched(address, description) for address in end.other_stack[:1]))

    def _doubtful(self, failure: Failure) -> bool:
        end = failure.trace.end
        if not self._doubts.needs_stacks(end):
            return self._doubts.about(end)
        trace, description = self._executor.describe(plan_of(failure.schedule, self.settings))
        return self._doubts.about(trace.end, description)

    def _search(self, checkpoints: Checkpoints | None) -> None:
        checkpoints = self._recovering(checkpoints)
        try:
            while not self._explored(checkpoints):
                pass
        except Contradicted as contradicted:
            self._contradicted, self._clean = contradicted.site, None
            if checkpoints is not None:
                checkpoints.forget()
            self._search(checkpoints)
        except OffersAlternatives:
            _refuse_offers(self.settings, self._match)
            if self._alternatives:
                raise EngineUnfit("steps go several ways") from None
            self._alternatives, self._match, self._clean = True, OFF, None
            if checkpoints is not None and not self.offered.seen.anything:
                checkpoints.forget()  # of a search that did not know it either
            self._search(checkpoints)

    def _explored(self, checkpoints: Checkpoints | None) -> bool:
        """False: a part of the search was lost with whoever had it; the next call goes on from what was last saved."""
        try:
            self._explore(checkpoints)
        except MemberLost:
            return False
        return True

    def _explore(self, checkpoints: Checkpoints | None) -> None:
        settings = self.settings
        self.known = Suppressing(self._suppressions, settings)
        self.known.attach(self._executor)
        self.cuts, self.outputs, self.inferred, self.orders, self.excuses = Cuts(), Outputs(), InferredYields(), Orders(), Excuses()
        self.contradictions, self.old_values = Contradictions(self._contradicted), OldValues()
        self.offered = OfferedSoFar()
        watching: list[Observer] = [self.known, self.cuts, self.inferred, self.orders, self.excuses, self.contradictions, self.old_values]
        watching += [_Refusing(settings, self._match, self._alternatives), self.offered]  # in this order: see _search
        watching += [self.outputs] * settings.outcomes + [self.interchanged] * (settings.symmetry != OFF)
        seconds = None if settings.max_time is None else self._deadline.left
        goes_on = settings.keep_going or self._draws > 0
        budget = Budget(self._draws or settings.max_executions, seconds, None if goes_on else 1)
        probe = self._probe if self._probed and not self._draws else None
        inferred = frozenset(loop.bare for loop in self._polled)
        strategy = self._strategy()
        clean = Clean(settings, (self.inferred, self.orders, self.excuses, self.old_values))
        if self._given_up is not None and isinstance(strategy, Widening):
            strategy.follow(self._given_up, clean.following(self._clean))
        gathers = None if goes_on else self._is_passed
        observers = [*watching, clean, *self._observers]
        explorer = Explorer(self._executor, strategy, budget, observers, checkpoints, probe, self._excused, inferred, way_of, gathers)
        try:
            self.result = self._told(explorer.run())
            self._shared_state = self.result.shared_state if self.result.stop is SearchStop.SHARED else ()
            if isinstance(strategy, Widening):
                self._given_up, self._clean = strategy, clean
        except Diverged as diverged:
            if not diverged.shared_state:
                raise
            self._shared_state = diverged.shared_state

    def _is_passed(self, failure: Failure) -> bool:
        """Does its place become an operation?"""
        return with_races_visible(self.settings, (failure,), (), self._doubtful) is not None

    def _told(self, result: SearchResult) -> SearchResult:
        """Of a search that found a bug while it gathered races: the bug."""
        if len(result.failures) < 2 or self.settings.keep_going or self._draws:
            return result
        told = tuple(failure for failure in result.failures if not self._is_passed(failure))
        return replace(result, failures=told) if told else result

    def _probe(self, executor: Identifying) -> Probed:
        """A program that does not repeat itself is told apart by the search."""
        try:
            return probes.probe(executor, self.settings.max_steps, self._excused)
        except Diverged:
            return Probed()

    def smallest(self, failure: Failure) -> Schedule:
        if self._seal is not None:
            return failure.schedule  # a smaller one might preempt what is sealed
        return smallest(self._executor, failure, self.settings, seconds=min(MINIMIZE_SECONDS, self._deadline.left))

    @property
    def trusted(self) -> tuple[str, ...]:
        if self._seal is None or not self._seal.names:
            return ()
        return (*self._seal.names, *(f"nothing that --seal {pattern} names" for pattern in self._seal.idle))

    def _strategy(self) -> Strategy:
        settings, seal = self.settings, self._seal
        bound = None if settings.bound is None else parse_bound(settings.bound)
        if seal is not None and (bound is None or settings.search not in (None, "bpor")):
            raise UsageError("--seal needs a --bound (which may be none) and the search bpor")
        search = settings.search
        if self._draws:
            search, bound = "pct", None
            self._rounds += 1  # each with draws of its own
        if _combines(settings, bound):
            from bpor.combinations import refuse_combinations

            refuse_combinations(settings, bound, self._match, self._engine)
        options = SearchOptions(
            match=self._match,
            alternatives=self._alternatives or settings.memory not in STRONG,
            known_steps=self._steps_are_known,
            sleep_sets=settings.sleep_sets,
            transitive_reduction=settings.transitive_reduction,
            bound_optimisation=settings.bound_optimisation,
            max_steps=settings.max_steps,
            states_cap=SAMPLED,
            engine=self._engine,
            workers=settings.workers if self._engine == "native" else 1,
            as_one=not settings.known_steps,
            naming=self._names,
            sealed=seal,
            weak=settings.memory not in STRONG,
        )
        return make_strategy(search, bound, within(options, settings.max_memory), settings.seed + self._rounds * bool(self._draws))

    @property
    def _steps_are_known(self) -> bool:
        """By a thread's causal past: not where more than that decides what it does next, as unseen steps of trusted code do."""
        settings = self.settings
        alone = self._contradicted is None and not self._alternatives and not settings.trust and not _stands_for_others(settings)
        return settings.known_steps and alone and settings.memory in STRONG

    def _describe(self) -> Description:
        """Of an execution that stops at once: only where things lie is wanted."""
        return self._executor.describe(Plan(stop_after_prefix=True))[1]


def _sealed(patterns: str) -> SealedSites:
    from bpor.report.sealed import SealedSites  # reads code: only who seals needs it

    return SealedSites(tuple(filter(None, patterns.split(","))))


def _suppressions(path: str) -> tuple[Suppression, ...]:
    from bpor.report.suppressions import read_suppressions

    return read_suppressions(path)


def _refuse_offers(settings: Settings, match: str) -> None:
    from bpor.combinations import refuse_alternatives

    refuse_alternatives(settings, OFF if settings.match == AUTO else match, "bpor_choose or bpor_assume")


def _against_weak(settings: Settings) -> str:
    from bpor.combinations import against_weak

    return against_weak(settings)


class _Refusing:
    """The first execution in which a step can go several ways, if the search does not try them."""

    batches = True

    def __init__(self, settings: Settings, match: str, expected: bool) -> None:
        self._settings, self._match, self._expected = settings, match, expected

    def executed(self, explorer: Explorer, plan: Plan, trace: Trace) -> None:
        if not trace.offered.anything:
            return
        _refuse_offers(self._settings, self._match)
        if not self._expected:
            raise OffersAlternatives


def _match_of(settings: Settings, engine: str) -> str:
    """By itself only where nothing asks for every execution, and where it is fast."""
    other = (
        settings.bound is not None
        or settings.search is not None
        or settings.resume
        or settings.memory not in STRONG
        or settings.symmetry != OFF
    )
    return OFF if settings.match == AUTO and (other or engine != "native") else settings.match


def _stands_for_others(settings: Settings) -> bool:
    """A schedule that is searched stands for others that are not."""
    return settings.symmetry != OFF or settings.retries != ALL


def _combines(settings: Settings, bound: Bound | None) -> bool:
    """There are options that do not go with every search."""
    if bound is not None and BoundKind.STALE in bound.kinds:
        return True
    other = settings.match not in (OFF, AUTO) or settings.memory not in STRONG or _stands_for_others(settings)
    return other or bool(settings.faults) or not settings.known_steps or bool(settings.trust)
