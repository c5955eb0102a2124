"""Condition variables: tokens (any waiter may be woken), fifo, broadcast, timeouts when idle or always, spurious wake-ups."""

from __future__ import annotations

from bpor.model.plan import Limits, Plan
from bpor.model.trace import Outcome, Trace
from bpor.protocol.ops import Op
from bpor.simulate.condition import Queue, Woken
from bpor.simulate.executor import SimulatedExecutor
from bpor.simulate.notation import parse
from bpor.simulate.program import Semantics

ANY, FIFO = Semantics(), Semantics(fifo=True)
EXPLORE, SPURIOUS = Semantics(explore_timeouts=True), Semantics(spurious=True)
TWO_WAITERS = "lock; wait; unlock | lock; wait; unlock | lock; signal; unlock"


def run(text: str, schedule: str, semantics: Semantics = ANY, stop: bool = False, fair: int | None = None) -> Trace:
    plan = Plan(prefix=tuple(map(int, schedule)), stop_after_prefix=stop, limits=Limits(fair=fair))
    return SimulatedExecutor(parse(text), semantics).run(plan)


def enabled(text: str, schedule: str, semantics: Semantics = ANY) -> set[int]:
    trace = run(text, schedule, semantics, stop=True)
    return {thread for thread in range(8) if trace.enabled >> thread & 1}


def woken(trace: Trace) -> list[tuple[int, Woken]]:
    return [(step.thread, list(Woken)[step.value]) for step in trace.steps if step.operation.kind is Op.COND_WAKE]


def test_a_signal_may_wake_any_waiter_but_only_one() -> None:
    assert enabled(TWO_WAITERS, "0011222") == {0, 1}
    assert woken(run(TWO_WAITERS, "00112220")) == [(0, Woken.SIGNALLED)]
    assert woken(run(TWO_WAITERS, "00112221")) == [(1, Woken.SIGNALLED)]
    assert run(TWO_WAITERS, "00112221").end.outcome is Outcome.DEADLOCK


def test_fifo_wakes_the_waiter_that_came_first() -> None:
    assert enabled(TWO_WAITERS, "0011222", FIFO) == {0}
    assert enabled(TWO_WAITERS, "1100222", FIFO) == {1}


def test_a_signal_without_waiters_is_lost() -> None:
    assert run("lock; wait; unlock | lock; signal; unlock", "111").end.outcome is Outcome.DEADLOCK


def test_a_waiter_that_comes_after_the_signal_cannot_take_its_token() -> None:
    text = "lock; wait; unlock | signal | lock; wait; unlock"
    assert enabled(text, "00122") == {0}


def test_two_signals_wake_two_waiters_and_a_third_adds_no_token() -> None:
    queue = Queue().enqueue(0).enqueue(1).signal_any().signal_any().signal_any()
    assert len(queue.tokens) == 2
    assert queue.leave(1).leave(0) == Queue()


def test_a_wake_takes_the_oldest_token_it_may_take() -> None:
    queue = Queue().enqueue(0).signal_any().enqueue(1).signal_any()
    assert queue.tokens == (0b01, 0b11)
    assert queue.leave(0).tokens == (0b10,)  # took the older one, struck from the other
    assert queue.leave(1).tokens == (0b01,)


def test_empty_tokens_vanish_with_the_waiter_that_leaves() -> None:
    queue = Queue().enqueue(0).signal_any()
    assert queue.leave(0) == Queue()


def test_a_broadcast_wakes_every_waiter_and_clears_the_tokens() -> None:
    queue = Queue().enqueue(0).enqueue(1).signal_any().broadcast()
    assert queue.tokens == () and queue.may_wake(0) and queue.may_wake(1)
    assert not queue.enqueue(2).may_wake(2)
    assert enabled("lock; wait; unlock | lock; wait; unlock | broadcast", "00112") == {0, 1}


def test_a_waiter_needs_the_mutex_to_return() -> None:
    text = "lock; wait; unlock | lock; signal; unlock"
    assert enabled(text, "0011") == {1}
    assert enabled(text, "00111") == {0}


def test_a_wait_writes_the_condition_and_the_mutex_in_both_steps() -> None:
    trace = run("lock; wait; unlock | lock; signal; unlock", "00111")
    for step in trace.steps:
        if step.operation.kind in (Op.COND_WAIT, Op.COND_WAKE):
            assert len(step.footprint) == 2 and all(access.write for access in step.footprint)


def test_a_wait_without_the_mutex_is_misuse() -> None:
    assert run("wait", "").end.outcome is Outcome.MISUSE


def test_an_idle_timeout_fires_only_when_nobody_else_can_run() -> None:
    text = "lock; timedwait; unlock | Wx"
    assert enabled(text, "00") == {1}
    trace = run(text, "001")
    assert woken(trace) == [(0, Woken.TIMED_OUT)]
    wake = next(step for step in trace.steps if step.operation.kind is Op.COND_WAKE)
    assert wake.timed == 0b1 and wake.timed_out and wake.yields and wake.cuts


def test_in_an_idle_state_every_timed_waiter_is_enabled() -> None:
    """Erratum E22."""
    trace = run("lock a; timedwait(c, a) | lock b; timedwait(d, b)", "0011", stop=True)
    assert (trace.enabled, trace.timed) == (0b11, 0b11)


def test_a_waiter_that_may_take_a_token_is_signalled_and_never_times_out() -> None:
    assert woken(run("lock; timedwait; unlock | lock; signal; unlock", "00111")) == [(0, Woken.SIGNALLED)]
    assert woken(run("lock; timedwait; unlock | lock; signal; unlock", "00111", EXPLORE)) == [(0, Woken.SIGNALLED)]


def test_a_timeout_needs_the_mutex_too() -> None:
    assert run("lock; timedwait; unlock | lock; sem_wait", "00").end.outcome is Outcome.DEADLOCK


def test_exploring_timeouts_lets_a_timed_wait_end_at_any_time() -> None:
    text = "lock; timedwait; unlock | Wx"
    assert enabled(text, "00", EXPLORE) == {0, 1}
    assert woken(run(text, "000", EXPLORE)) == [(0, Woken.TIMED_OUT)]


def test_a_wait_that_may_end_by_itself_is_left_for_nothing() -> None:
    """Erratum E27."""
    text = "lock; timedwait; unlock | Wx"
    for semantics, cuts in ((ANY, False), (EXPLORE, True), (SPURIOUS, True)):
        assert run(text, "00", semantics, stop=True).steps[1].cuts is cuts


def test_a_spurious_wake_up_is_a_yield() -> None:
    trace = run("lock; wait; unlock", "000", SPURIOUS)
    assert woken(trace) == [(0, Woken.SPURIOUS)] and trace.steps[2].yields and not trace.steps[2].timed_out
    assert run("lock; wait; unlock", "00", ANY).end.outcome is Outcome.DEADLOCK


def test_timed_locks_and_semaphores_time_out_when_idle() -> None:
    for text, kind in (
        ("lock; sem_wait q | timedlock", Op.MUTEX_TIMEDLOCK),
        ("Wx | sem_timedwait", Op.SEM_TIMEDWAIT),
        ("rdlock | timedwrlock", Op.RWLOCK_WRLOCK),
        ("wrlock | timedrdlock", Op.RWLOCK_RDLOCK),
    ):
        step = next(step for step in run(text, "0").steps if step.operation.kind is kind and step.thread == 1)
        assert step.timed_out and step.yields and step.timed == 0b10, text


def test_a_timed_out_lock_was_a_read_and_a_timed_out_wrlock_a_write() -> None:
    lock = run("lock; sem_wait q | timedlock", "0").steps[-1]
    wrlock = run("rdlock | timedwrlock", "0").steps[-1]
    assert [access.write for access in lock.footprint] == [False]
    assert [access.write for access in wrlock.footprint] == [True]


def test_a_timeout_beside_a_spinner_fires_once_the_spinner_is_fair_blocked() -> None:
    """The other half of idle: every enabled thread is fair-blocked with the timed waiters counted among the enabled."""
    text = "until Rx | lock; timedwait; unlock; Wx"
    trace = run(text, "11", fair=1)
    assert trace.end.outcome is Outcome.PASSED
    assert woken(trace) == [(1, Woken.TIMED_OUT)]
    first = next(step for step in trace.steps if step.timed)
    assert (first.enabled, first.timed) == (0b11, 0b10)
    assert SimulatedExecutor(parse(text)).run(Plan(prefix=(1, 1), max_steps=50)).end.outcome is Outcome.STEP_LIMIT
