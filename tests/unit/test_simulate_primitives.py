"""What simulated primitives do and touch: results, blocking, footprints, yields. Programs in the notation of bpor.simulate.notation."""

from __future__ import annotations

import pytest

from bpor.model.operation import ObjectAccess, conflict
from bpor.model.plan import Plan
from bpor.model.step import Step
from bpor.model.trace import Outcome, Trace
from bpor.protocol.ops import Op
from bpor.search.options import SearchOptions
from bpor.simulate.action import MEMORY, SYNC, object_id, object_name
from bpor.simulate.executor import SimulatedExecutor
from bpor.simulate.notation import parse
from bpor.simulate.program import Semantics
from tests.unit.search_runs import search


def run(text: str, schedule: str = "", semantics: Semantics | None = None, **semaphores: int) -> Trace:
    """One execution: the schedule as digits, then the default policy."""
    executor = SimulatedExecutor(parse(text, **semaphores), semantics or Semantics())
    return executor.run(Plan(prefix=tuple(map(int, schedule))))


def enabled_after(text: str, schedule: str, **semaphores: int) -> set[int]:
    executor = SimulatedExecutor(parse(text, **semaphores))
    trace = executor.run(Plan(prefix=tuple(map(int, schedule)), stop_after_prefix=True))
    return {thread for thread in range(8) if trace.enabled >> thread & 1}


def step(trace: Trace, thread: int, position: int) -> Step:
    return [each for each in trace.steps if each.thread == thread][position]


def accesses(each: Step, name: str, memory: bool = False) -> bool | None:
    """True: wrote the object, False: read it, None: did not touch it."""
    identity = object_id(MEMORY if memory else SYNC, name)
    return next((access.write for access in each.footprint if access.object == identity), None)


def test_object_names_map_to_stable_numbers_and_back() -> None:
    assert object_id(MEMORY, "x") == ord("x")
    assert object_name(object_id(SYNC, "fork12")) == "fork12"
    assert object_id(MEMORY, "x") != object_id(SYNC, "x")
    with pytest.raises(ValueError, match="1 to 7 bytes"):
        object_id(MEMORY, "a long name")


def test_a_read_sees_the_last_write() -> None:
    assert step(run("Wx 7 | Rx", "01"), 1, 0).value == 7
    assert step(run("Wx 7 | Rx", "10"), 1, 0).value == 0


def test_a_failed_compare_exchange_was_a_read_and_is_pending_as_a_write() -> None:
    trace = run("CASx | CASx", "01")
    assert accesses(step(trace, 0, 0), "x", memory=True) is True
    failed = step(trace, 1, 0)
    assert failed.failed and accesses(failed, "x", memory=True) is False
    assert failed.operation.footprint == (ObjectAccess(object_id(MEMORY, "x"), True),)


def test_a_held_mutex_disables_lock_and_fails_trylock() -> None:
    assert enabled_after("lock; unlock | lock | trylock", "0") == {0, 2}
    failed = step(run("lock; unlock | lock | trylock", "02"), 2, 0)
    assert failed.failed and failed.value == 0 and accesses(failed, "m") is False


def test_a_second_lock_by_the_owner_of_a_normal_mutex_deadlocks() -> None:
    assert run("lock; lock").end.outcome is Outcome.DEADLOCK


def test_unlock_by_a_non_owner_is_misuse_and_ends_the_process() -> None:
    trace = run("lock | unlock", "01")
    assert trace.end.outcome is Outcome.MISUSE and trace.steps[-1].ends_process


def test_readers_share_and_exclude_writers() -> None:
    assert enabled_after("rdlock; rdunlock | rdlock | wrlock", "0") == {0, 1}
    assert enabled_after("wrlock; wrunlock | rdlock | wrlock", "0") == {0}
    assert enabled_after("rdlock; rdunlock | rdlock; rdunlock | wrlock", "010") == {1}


def test_readers_read_the_lock_and_writers_write_it() -> None:
    trace = run("rdlock; rdunlock; wrlock; wrunlock")
    assert [accesses(each, "l") for each in trace.steps] == [False, False, True, True]


def test_a_failed_trywrlock_stays_a_write_and_a_failed_tryrdlock_is_a_read() -> None:
    """Erratum E23."""
    assert accesses(step(run("rdlock | trywrlock", "01"), 1, 0), "l") is True
    failed = step(run("wrlock | tryrdlock", "01"), 1, 0)
    assert failed.failed and accesses(failed, "l") is False


def test_rwlock_unlock_by_a_non_holder_is_misuse() -> None:
    assert run("rdunlock").end.outcome is Outcome.MISUSE
    assert run("rdlock; wrunlock").end.outcome is Outcome.MISUSE


def test_a_semaphore_blocks_at_zero_and_trywait_fails_there() -> None:
    assert enabled_after("sem_wait | post | sem_trywait", "") == {1, 2}
    assert enabled_after("sem_wait | post", "", s=1) == {0, 1}
    assert step(run("sem_trywait | post", "0"), 0, 0).failed
    assert not step(run("sem_trywait | post", "10"), 0, 0).failed


def test_a_barrier_opens_when_everybody_has_arrived_and_one_thread_is_serial() -> None:
    text = "barrier b 3 | barrier b 3 | barrier b 3"
    assert enabled_after(text, "01") == {2}
    assert enabled_after(text, "012") == {0, 1, 2}
    trace = run(text, "012")
    leaves = {each.thread: each.value for each in trace.steps if each.operation.kind is Op.BARRIER_LEAVE}
    assert leaves == {0: 0, 1: 0, 2: 1} and trace.end.outcome is Outcome.PASSED


def test_arriving_at_a_round_of_a_barrier_is_independent_of_leaving_the_one_before() -> None:
    trace = run("barrier; barrier | barrier; barrier", "01")
    arrive, leave = ([each for each in trace.steps if each.operation.kind is kind] for kind in (Op.BARRIER_ARRIVE, Op.BARRIER_LEAVE))
    assert all(conflict(one.footprint, other.footprint) for one in arrive for other in arrive)
    meets = [[conflict(one.footprint, other.footprint) for other in (leave[0], leave[2])] for one in arrive]
    assert meets == [[True, False]] * 2 + [[False, True]] * 2


@pytest.mark.parametrize(("threads", "traces"), [(2, 4), (3, 36), (4, 576)])
def test_two_rounds_of_a_barrier_have_as_many_traces_as_orders_of_arrival(threads: int, traces: int) -> None:
    text = " | ".join([f"barrier b {threads}; barrier b {threads}"] * threads)
    assert search(text, "none", options=SearchOptions(engine="library")).counts.distinct_traces == traces


def test_a_barrier_can_be_used_again_before_everybody_has_left() -> None:
    assert run("barrier; barrier | barrier; barrier", "0110").end.outcome is Outcome.PASSED
    assert run("barrier; barrier | barrier", "").end.outcome is Outcome.DEADLOCK


def test_a_yield_and_a_sleep_cut_the_block() -> None:
    assert [(each.yields, each.cuts) for each in run("yield; sleep; Wx").steps] == [(True, True), (True, True), (False, False)]


def test_a_failed_try_at_the_site_of_the_previous_failed_one_is_a_yield() -> None:
    spin = run("lock; Wx; unlock | until trylock", "0111110")
    tries = [each.yields for each in spin.steps if each.operation.kind is Op.MUTEX_TRYLOCK and each.failed]
    assert tries == [False, True, True]


def test_failed_tries_at_different_sites_are_no_yields() -> None:
    trace = run("lock | trylock; trylock; trylock", "0")
    assert [each.yields for each in trace.steps if each.failed] == [False, False, False]


def test_a_spin_loop_yields_until_its_condition_holds() -> None:
    trace = run("until Rx | Wx", "0010")
    assert [each.operation.kind for each in trace.steps] == [Op.READ, Op.YIELD, Op.WRITE, Op.READ]


def test_exit_ends_the_process_whatever_the_others_are_doing() -> None:
    trace = run("Wx; Wx | exit 3", "01")
    assert (trace.end.outcome, trace.end.code, trace.end.thread) == (Outcome.EXIT, 3, 1)
    assert trace.steps[-1].ends_process and trace.length == 2
    assert run("exit | Wx").end.outcome is Outcome.PASSED


def test_a_failed_assertion_ends_the_process_in_the_step_before_it() -> None:
    """Erratum E21: the segment after a step belongs to the step."""
    trace = run("Rx; assert; Wy | Wx", "10")
    assert trace.end.outcome is Outcome.ASSERTION
    assert trace.steps[-1].operation.kind is Op.READ and trace.steps[-1].ends_process
    assert run("Rx; assert; Wy | Wx", "01").end.outcome is Outcome.PASSED


def test_nobody_enabled_and_somebody_unfinished_is_a_deadlock() -> None:
    assert run("lock a; lock b | lock b; lock a", "01").end.outcome is Outcome.DEADLOCK
    assert run("lock a; unlock a | lock a; unlock a", "0").end.outcome is Outcome.PASSED
