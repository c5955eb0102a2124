"""Every erratum with a known wrong rule: the rule misses something that can happen, and our rule does not.

The mutants bend the reference search (reference.py), which is itself compared with the engine run by run.
"""

from __future__ import annotations

import pytest

from bpor.simulate.bounds import Combined
from bpor.simulate.coverage import Missing
from bpor.simulate.errata import COUNTEREXAMPLES, Counterexample
from bpor.simulate.oracle import Oracle
from tests.property.mutants import dependence, points, reduction, sleep, time
from tests.property.reference import Reference, TooLong

MUTANTS: tuple[tuple[type[Reference], str, str], ...] = (
    (points.NoPointAtTheInitialState, "E1", "Wa; Wx | Wx"),
    (sleep.ConservativePointsStayAwake, "E3", "Wa; Wx | Wx"),
    (sleep.NobodySleepsBelowConservativePoints, "E4", "Ra; Rx | Rx | Wx; Wx"),
    (sleep.NobodySleepsBelowConservativePoints, "E4", "Wx; lock; unlock; Rx; lock | Wx; lock"),
    (sleep.NextOperationWatched, "E4", "lock; Rx | Wx"),
    (points.SleepingPointIsSkipped, "E5", "Wx | Rx; Wy | Rx; Ry"),
    (reduction.CoveredTestedOnTheAcquire, "E6", "lock; unlock | Wx; lock"),
    (points.FairBlockedIsAddedAlone, "E8", "Wx; yield; Rx | Ry | Rx; yield; yield; Wx"),
    (sleep.ReleasesSleep, "E10", "sem_wait; Wx | yield; Rx | yield; post"),
    (sleep.OnlyEnablingReleasesStayAwake, "E10", "lock; yield; unlock | Wx; lock; Wx | yield; yield; Wx"),
    (time.FairnessReversed, "E11", "until Rx | 2*yield; Wx"),
    (reduction.InitialsOfPendingOperations, "E12", "RMWx | Wy; Rx | Rx"),
    (dependence.ProcessEndWithoutFootprint, "E21", "exit | post"),
    (dependence.FailedAssertionIsAnOrdinaryStep, "E21", "Rx; assert | Wx | Ry"),
    (dependence.EndsOfThreadsCommute, "E21", "leave | Wx | Wy"),
    (time.OneTimeoutIsEnough, "E22", "lock a; timedwait(c1, a); Wx | lock b; timedwait(c2, b); Wx"),
    (time.IdleSwitchesCost, "E22", "lock a; unlock a | lock a; timedwait(c, a) | lock b; timedwait(c, b)"),
    (dependence.FailedTrywrlockReads, "E23", "rdlock; rdunlock | trywrlock"),
    (dependence.FailedTrywrlockReads, "E23", "trywrlock | Wx | rdlock; Rx; rdunlock"),
    (points.EndsEnableSilently, "E28", "yield; Wx | join 2; Wx | Wx; yield; yield"),
    (points.EndsEnableAtTheirOwnStateOnly, "E28", "yield; rdlock; rdunlock | until Rx | join 0; Wx"),
    (sleep.EndsSleep, "E28", "join 2; Rx | Rx; yield; Wx | yield; yield"),
    (time.TimeoutsDependOnWhatTheyWaitedFor, "E48", "sem_timedwait | 2*yield; post | 2*yield"),
    (time.TimeoutsDependOnWhatTheyWaitedFor, "E48", "yield; Wx | lock; timedwait | pause; yield; signal"),
    (sleep.SleepsBesideTimedWaits, "E48", "2*yield; Wx | lock; timedwait | pause; yield; signal"),
    (sleep.SleepsBesideTimedWaits, "E48", "yield; Wy; sem_wait | lock; timedwait; post | pause; yield; signal"),
    (sleep.LastThreadLast, "E26", "Rx | Wx; lock; Wx; unlock | Wx; Wx"),
)


def counterexample(erratum: str, text: str) -> Counterexample:
    return next(each for each in COUNTEREXAMPLES if each.erratum == erratum and each.text == text)


def missed_by(search: type[Reference], example: Counterexample) -> Missing:
    """What the search misses of what can happen, by events and by values."""
    oracle = Oracle(example.program, example.semantics)
    limits = example.bound if isinstance(example.bound, Combined) else Combined()
    by_events, by_values = oracle.explore(limits).coverage, oracle.explore_values(limits).coverage
    found = search(oracle, limits.preemption, limits.fair, max_runs=2_000).explore()
    events, values = found.lacks(by_events), found.lacks(by_values)
    return Missing(events.local, events.final, values.local_values, values.final_values)


@pytest.mark.parametrize(("mutant", "erratum", "text"), MUTANTS, ids=lambda value: getattr(value, "__name__", value))
def test_a_wrong_rule_misses_its_counterexample(mutant: type[Reference], erratum: str, text: str) -> None:
    example = counterexample(erratum, text)
    assert not missed_by(Reference, example)
    try:
        assert missed_by(mutant, example)
    except TooLong:
        assert mutant is time.FairnessReversed  # it spins without end: the erratum's other half


def test_wrong_dependence_shows_in_observed_values() -> None:
    for mutant, erratum, text in MUTANTS:
        if mutant.__module__.endswith("dependence"):
            missing = missed_by(mutant, counterexample(erratum, text))
            assert missing.local_values or missing.final_values, mutant
