"""Optimal DPOR runs exactly one execution per trace and none that is redundant; in other orders it misses nothing either.

Timeouts of idle states are the exception: two or three programs in a thousand run a trace twice, or an execution that ends asleep.
"""

from __future__ import annotations

import itertools
import random
from collections import deque
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from bpor.model.operation import Operation
from bpor.model.plan import Plan
from bpor.model.step import Step
from bpor.model.trace import Outcome
from bpor.search.bounds.grammar import parse_bound
from bpor.search.engine.history import History
from bpor.search.optimal import node, search
from bpor.search.optimal.order import ORDERS
from bpor.search.optimal.races import Races, Reversal
from bpor.search.optimal.span import Span
from bpor.search.optimal.wakeup import WakeupStep
from bpor.search.strategies.optimal import Optimal
from bpor.simulate.executor import SimulatedExecutor
from bpor.simulate.notation import parse
from bpor.simulate.oracle import Oracle, TooManyPrefixes
from bpor.simulate.program import Program
from bpor.simulate.programs import indexer
from tests.property.exact_space import without_idle_timeouts
from tests.property.named_search import OPTIONS, compare, compare_sample, run
from tests.property.random_programs import Sample, from_random, samples
from tests.property.trial import Unfinished, oracle_bound

CALM = settings(max_examples=100, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True)


@CALM
@given(sample=samples())
def test_there_is_one_execution_per_trace_and_none_is_redundant(sample: Sample) -> None:
    assume(sample.semantics.explore_timeouts or "timed" not in sample.text)
    found = compare_sample(sample, "optimal", "none")
    assert not found.missing
    assert found.result.counts.redundant == 0
    assert found.result.counts.complete == found.truth.traces == found.result.counts.distinct_traces


@CALM
@given(sample=samples(), order=st.sampled_from(sorted(set(ORDERS) - {"dfs"})))
def test_every_other_order_reaches_what_brute_force_reaches(sample: Sample, order: str) -> None:
    found = compare_sample(sample, "optimal:" + order, "none")
    assert not found.missing


def test_a_step_that_may_end_the_process_does_not_sleep_before_its_turn() -> None:
    """That the unlock of a mutex which nobody holds ends the process shows only when it is made."""
    found = compare(Oracle(parse("exit | unlock o | Ry | Rx")), "optimal:bit-reversal", "none")
    assert not found.missing


@CALM
@given(sample=samples())
def test_timeouts_of_idle_states_are_all_tried(sample: Sample) -> None:
    assume(not sample.semantics.explore_timeouts and "timed" in sample.text)
    found = compare_sample(sample, "optimal", "none")
    assert not found.missing


def test_with_timeouts_of_idle_states_hardly_a_trace_is_run_twice() -> None:
    """Of one program in eight some was, when every timed waiter was tried in every idle state."""
    source, programs, inexact = random.Random(7), 0, 0
    while programs < 60:
        sample = from_random(source, max_operations=8)
        if without_idle_timeouts(sample):
            continue
        try:
            found = compare(Oracle(sample.program, sample.semantics, max_prefixes=1_000, max_steps=100), "optimal", "none", most=500)
        except (TooManyPrefixes, Unfinished):
            continue
        programs += 1
        counts = found.result.counts
        assert not found.missing, sample
        inexact += counts.redundant > 0 or counts.complete != found.truth.traces
    assert inexact <= 1


@pytest.mark.parametrize("waiters", (3, 5, 8))
def test_timeouts_that_nobody_notices_are_tried_in_one_order(waiters: int) -> None:
    """One trace; every order would be waiters! executions."""
    text = " | ".join(f"sem_timedwait s{number}" for number in range(waiters))
    found = compare(Oracle(parse(text)), "optimal", "none")
    assert not found.missing
    assert found.result.executions == 1


def test_timeouts_that_conflict_are_tried_in_every_order() -> None:
    found = compare(Oracle(parse("sem_timedwait a; Wx | sem_timedwait b; Wx | sem_timedwait d; Wx")), "optimal", "none")
    assert not found.missing
    assert (found.result.counts.complete, found.result.counts.redundant) == (6, 0)


MISSED = {
    "an execution that ends asleep has races too": "lock m; sem_timedwait b; unlock m | Rz; sem_timedwait a; Wx"
    " | lock m; Ry; if Wx; unlock m | lock m; Wy; unlock m",
    "a timeout that may end a wait for a condition takes the mutex": "lock m; timedwait c m | sem_timedwait; lock m",
    "what a timeout sees comes before it": "timedrdlock; lock m | timedlock m; if unlock m; timedwrlock"
    " | timedwrlock; lock m; timedwait d m; timedrdlock",
    "both may need the timeout that is overtaken": "lock n; sem_timedwait; unlock n | lock m; lock n | timedlock m; lock n",
    "another one may come before one that sleeps": "sem_timedwait; sem_timedwait; timedrdlock | lock m; timedwait c m"
    " | trywrlock; if wrunlock; sem_timedwait; wrlock; timedlock m",
    "what lets the second go on needs a timeout": "lock m; wait c m; unlock m | lock m; wait c m; unlock m"
    " | lock m; signal; sem_timedwait a; unlock m | sem_timedwait b; signal c",
}
MISSED_WITH_MAIN = {
    "an end may let go on what a timeout left": "sem_timedwait | sem_timedwait; spawn 2 | lock m; timedwait d m",
    "an end after a vain wait as well": "timedwrlock; timedlock m | lock m; spawn 3 | timedrdlock | timedwrlock",
    "both may need the timeout that comes sooner": " | sem_timedwait; spawn 3 | sem_timedwait | timedlock m",
}


@pytest.mark.parametrize("text", MISSED.values(), ids=MISSED)
def test_programs_with_timeouts_that_were_hard_are_covered(text: str) -> None:
    """Each was missed by an earlier version."""
    assert not compare(Oracle(parse(text)), "optimal", "none").missing


@pytest.mark.parametrize("text", MISSED_WITH_MAIN.values(), ids=MISSED_WITH_MAIN)
def test_programs_with_timeouts_and_joins_that_were_hard_are_covered(text: str) -> None:
    assert not compare(Oracle(parse(text).with_main()), "optimal", "none").missing


class NothingIsAmid(Span):
    """What another timeout leaves waiting does not wake it."""

    def add(self, step: Step, ends: bool) -> None:
        super().add(step, ends)
        self._amid.clear()


class NothingIsLeft(Span):
    """What it left waiting and another timeout lets go on does not wake it."""

    def leave(self, operation: Operation) -> None:
        pass


@pytest.mark.parametrize(
    ("wrong", "program"),
    [
        (NothingIsAmid, parse(MISSED["both may need the timeout that is overtaken"])),
        (NothingIsLeft, parse(MISSED_WITH_MAIN["an end may let go on what a timeout left"]).with_main()),
    ],
)
def test_a_timeout_that_sleeps_too_long_hides_traces(wrong: type[Span], program: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(node, "Span", wrong)
    assert compare(Oracle(program), "optimal", "none").missing


def test_what_a_trace_does_not_tell_has_to_be_asked() -> None:
    """With a semaphore that is 0 and with one that is 1 this program's first execution is the same, step by step; it has one trace, or two.
    So no search that begins like this comes to an end after it, and with 0 what it runs then is no new trace."""
    text = "post | Ry; sem_wait"
    first = [SimulatedExecutor(parse(text, s=count)).run(Plan()) for count in (0, 1)]
    assert first[0] == first[1]
    for count, traces, questions in ((0, 1, 1), (1, 2, 1)):
        found = compare(Oracle(parse(text, s=count)), "optimal", "none")
        assert (found.truth.traces, found.result.counts.asked) == (traces, questions)


class NothingIsPassed(Races):
    """A step that cannot be reversed itself hides those before it: a lock is never taken in the other order."""

    def _firsts(self, second: Any, reversed_already: list[int]) -> Iterator[int]:
        return itertools.islice(super()._firsts(second, reversed_already), 1)


class TheEndIsForgotten(Races):
    """A thread that the end of the process kept from running is let run, but the end is not wanted right after it."""

    def _end_again(self, dropped: Any, last: Any) -> list[WakeupStep]:
        return []


@pytest.mark.parametrize(
    ("wrong", "text"),
    [
        (NothingIsPassed, "lock; Wx; unlock | lock; Rx; unlock"),
        (NothingIsPassed, "rdlock; rdunlock | wrlock; wrunlock"),
        (TheEndIsForgotten, "Wy; Ry; assert | Wy | Wx"),
    ],
)
def test_a_wrong_rule_misses_traces(wrong: type[Races], text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert not compare(Oracle(parse(text)), "optimal", "none").missing
    monkeypatch.setattr(search, "Races", wrong)
    assert compare(Oracle(parse(text)), "optimal", "none").missing


def test_a_try_taken_for_what_it_announces_loses_traces(monkeypatch: pytest.MonkeyPatch) -> None:
    """In another past it may fail, and be a read."""
    text = "CAS x | CAS x; RMW x | R x | R x"
    assert not compare(Oracle(parse(text)), "optimal", "none").missing
    monkeypatch.setattr(search, "to_settle", lambda sequence, others: None)
    assert compare(Oracle(parse(text)), "optimal", "none").missing


@pytest.mark.parametrize(
    "text",
    [
        "tryrdlock | wrlock | rdlock",
        "tryrdlock | rdlock; rdunlock; rdlock | rdlock; rdunlock; wrlock",
        "unlock o; Ry; assert | spawn 2; join 2 | wrlock; wrunlock; trywrlock; if wrunlock",
        "spawn 3; join 3 | exit; trywrlock; if wrunlock | rdlock; Ry; assert | rdlock",
        "exit; Rx; assert | exit; Ry; assert | unlock o; exit",
        "lock m; wait c m; unlock m | signal; lock m; broadcast; unlock m; lock m",
        "RMWx | Wy; Rx | Rx",
        "CAS x | CAS x; RMW x | R x | R x",
        "wrlock; wrunlock; lock | rdlock | rdlock; wrlock | rdlock; rdunlock; rdlock",
        "rdlock | wrlock; wrunlock; rdlock | wrlock | tryrdlock; if rdunlock",
        "rdlock | wrlock; wrunlock; rdlock | wrlock; wrunlock | tryrdlock; if rdunlock",
        "CAS x | CAS x; RMW x | R x | CAS x",
        "CAS x | R x; W x | R x | RMW x; RMW x",
        "rdlock | wrlock | tryrdlock; if rdunlock | trywrlock; rdlock",
        "trylock n; CAS x; R x; trylock m; if unlock m | CAS x; Rx; assert | trylock m; if Wx | trylock n; CAS x",
    ],
)
def test_programs_that_were_hard_stay_exact(text: str) -> None:
    """Each was missed, run twice or not followed by an earlier version."""
    found = compare(Oracle(parse(text)), "optimal", "none")
    assert not found.missing
    assert (found.result.counts.complete, found.result.counts.redundant) == (found.truth.traces, 0)


def looks(rounds: int, monkeypatch: pytest.MonkeyPatch) -> int:
    """How often one execution of four threads, each with an object of its own and one of all, asks what happens before what."""
    calls = [0]
    knows = History.knows

    def counting(history: History, clock: Any, index: int) -> bool:
        calls[0] += 1
        return knows(history, clock, index)

    with monkeypatch.context() as patch:
        patch.setattr(History, "knows", counting)
        text = " | ".join(f"{rounds}*RMW own{thread}; lock; RMWx; unlock" for thread in range(4))
        searching = search.Wakeups(OPTIONS)
        plan = searching.next_plan()
        assert plan is not None
        searching.learn(SimulatedExecutor(parse(text)).run(replace(plan, max_steps=5_000)))
    return calls[0]


def asked(program: Program) -> list[tuple[int, ...]]:
    """The questions of a search."""
    searching, executor = search.Wakeups(OPTIONS), SimulatedExecutor(program)
    keys: list[tuple[int, ...]] = []
    while (plan := searching.next_plan()) is not None:
        keys += [searching._question.key] if searching._question is not None else []
        searching.learn(executor.run(plan))
    assert searching.tally.asked == len(keys)
    return keys


def test_what_was_asked_once_is_not_asked_again() -> None:
    keys = asked(parse("rdlock; rdunlock | wrlock; wrunlock; rdlock | wrlock; wrunlock | tryrdlock; if rdunlock"))
    assert 0 < len(keys) == len(set(keys))


def test_what_an_execution_showed_is_not_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    """The indexer's compare-exchanges: what each does in another past was seen before the search wants to know it."""
    assert not asked(indexer(13))
    monkeypatch.setattr(Races, "answers", lambda races, first, most: iter(()))
    assert asked(indexer(13))


def test_twice_the_steps_take_about_twice_the_looks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Races are found through the objects, not by going through all the steps before."""
    assert looks(200, monkeypatch) < 2.5 * looks(100, monkeypatch)


def _fewest(threads: list[int], before: list[set[int]]) -> int:
    """Preemptions of the best order of these steps; leaving a thread that has none left costs nothing."""
    waiting: deque[tuple[frozenset[int], int, int]] = deque([(frozenset(), -1, 0)])
    seen: set[tuple[frozenset[int], int]] = set()
    while waiting:
        done, last, cost = waiting.popleft()
        if len(done) == len(threads):
            return cost
        if (done, last) in seen:
            continue
        seen.add((done, last))
        left = [step for step in range(len(threads)) if step not in done]
        goes_on = any(threads[step] == last for step in left)
        for step in left:
            if before[step] <= done:
                costs = threads[step] != last and goes_on
                (waiting.append if costs else waiting.appendleft)((done | {step}, threads[step], cost + costs))
    raise AssertionError("a cycle")


class Bounded(search.Wakeups):
    """Leaves out every beginning that takes more than `most` preemptions, however its steps are ordered."""

    most = 0

    def _insert(self, reversal: Reversal) -> bool:
        history, items, threads = self._history, reversal.sequence, self._history.schedule[: reversal.index]
        before = [{early for early in range(late) if history.knows(history.clocks[late], early)} for late in range(len(threads))]
        for place, item in enumerate(items):
            own = {len(threads) + early for early in range(place) if reversal.precedes(items[early], item)}
            if item.index >= 0:
                own |= {early for early in range(len(threads)) if history.knows(history.clocks[item.index], early)}
            else:
                touched = [history.cells.resolve(step.footprint) for step in self._steps[: len(threads)]]
                watch = item.touches.watch
                met = {early for early, thread in enumerate(threads) if thread == item.thread or watch.conflicts(touched[early])}
                own |= met.union(*(before[early] for early in met))
            before.append(own)
        all_threads = [*threads, *(item.thread for item in items)]
        return _fewest(all_threads, before) > self.most or super()._insert(reversal)


def test_leaving_out_what_is_beyond_a_preemption_bound_would_be_incomplete() -> None:
    """The execution that shows the race of a trace within the bound may itself be beyond it. So within one it does not leave out anything,
    but executes nothing twice (test_optimal_within.py)."""
    oracle = Oracle(parse("Wx; Wx | Rx; Rx; Wx | Rx"))
    truth = oracle.explore(oracle_bound(parse_bound("preemption:0")))
    for most, complete in ((0, False), (5, True)):
        strategy = Optimal(OPTIONS)
        strategy.search = bounded = Bounded(OPTIONS)
        bounded.most = most
        coverage, _ = run(oracle, strategy)
        assert bool(coverage.lacks(truth.coverage)) is not complete


def test_an_execution_that_was_cut_shows_answers_for_its_first_steps_only() -> None:
    """One for each of twenty thousand tries in vain, by all that came before it, filled ten gigabytes and no limit of time ended it."""
    searching = search.Wakeups(OPTIONS)
    plan = searching.next_plan()
    assert plan is not None
    trace = SimulatedExecutor(parse("until CASx 5 1")).run(replace(plan, max_steps=2_000))
    searching.learn(trace)
    assert trace.end.outcome is Outcome.STEP_LIMIT and 0 < len(searching._answers) <= search._RACES_OF_A_CUT
