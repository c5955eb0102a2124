"""The default policy after a prefix: bound's Initialize, sleep sets, what the bound refuses."""

from __future__ import annotations

from bpor.model.operation import ObjectAccess, Operation
from bpor.model.plan import Limits
from bpor.model.policy import Policy, threads_in
from bpor.model.trace import Outcome
from bpor.protocol.ops import Op

X_READ, X_WRITE, Y_WRITE = (ObjectAccess(1, False),), (ObjectAccess(1, True),), (ObjectAccess(2, True),)
T0, T1, T2 = 1, 2, 4  # masks


def took(policy: Policy, thread: int, enabled: int, *, timed: int = 0, footprint=(), yields=False, cuts=False, following=None) -> None:  # type: ignore[no-untyped-def]
    policy.took(thread, enabled, timed, footprint, yields, cuts, following)


def test_threads_of_a_mask_come_lowest_first() -> None:
    assert list(threads_in(0b101001)) == [0, 3, 5]


def test_without_limits_the_last_thread_goes_on() -> None:
    policy = Policy()
    assert policy.choose(T0 | T1, 0) == 0
    took(policy, 1, T0 | T1)
    assert policy.choose(T0 | T1, 0) == 1
    assert policy.choose(T0 | T2, 0) == 0


def test_leaving_an_enabled_thread_is_a_preemption() -> None:
    policy = Policy()
    took(policy, 0, T0 | T1)
    took(policy, 1, T0 | T1)
    took(policy, 1, T0 | T1)
    took(policy, 0, T0)
    assert policy.preemptions == 1


def test_leaving_after_a_yield_or_a_voluntary_switch_is_free() -> None:
    policy = Policy()
    took(policy, 0, T0 | T1, yields=True)
    took(policy, 1, T0 | T1, cuts=True)
    took(policy, 0, T0 | T1)
    assert policy.preemptions == 0


def test_a_yield_loses_its_effect_with_the_next_step() -> None:
    policy = Policy()
    took(policy, 0, T0 | T1, yields=True)
    took(policy, 0, T0 | T1)
    took(policy, 1, T0 | T1)
    assert policy.preemptions == 1


def test_leaving_at_an_idle_state_is_free() -> None:
    policy = Policy(Limits(preemption=0))
    took(policy, 0, T0 | T1)
    assert not policy.within(1, T0 | T1, 0)
    assert policy.within(1, T0 | T1, T1)


def test_leaving_a_fair_blocked_thread_is_free_only_under_a_fair_limit() -> None:
    def after_a_yield(limits: Limits) -> Policy:
        policy = Policy(limits)
        took(policy, 0, T0 | T1, yields=True)
        took(policy, 0, T0)  # nobody else could run
        return policy

    assert after_a_yield(Limits(preemption=0)).preempts(1, T0 | T1, 0)
    assert not after_a_yield(Limits(preemption=0, fair=0)).preempts(1, T0 | T1, 0)


def test_the_fair_cost_is_the_lead_over_the_thread_that_yielded_least() -> None:
    policy = Policy(Limits(fair=1))
    for _ in range(3):
        took(policy, 0, T0 | T1 | T2, yields=True)
    took(policy, 2, T0 | T1 | T2, yields=True)
    assert policy.fair_cost(0, T0 | T1 | T2) == 3
    assert policy.fair_cost(0, T0 | T2) == 2
    assert policy.fair_cost(0, T0) == 0
    assert policy.fair_blocked(0, T0 | T2) and not policy.fair_blocked(2, T0 | T1 | T2)


def test_sleeping_threads_count_for_the_fair_cost() -> None:
    policy = Policy(Limits(fair=0), sleep=((1, X_READ),), prefix_length=1)
    took(policy, 0, T0 | T1, yields=True)
    assert policy.choose(T0 | T1, 0) is Outcome.OVER_BOUND


def test_the_fair_policy_takes_the_cheapest_thread_when_the_last_is_blocked() -> None:
    policy = Policy(Limits(fair=0))
    took(policy, 0, T0 | T1 | T2, yields=True)
    took(policy, 1, T0 | T1 | T2, yields=True)
    assert policy.choose(T0 | T1 | T2, 0) == 2
    assert policy.choose(T0 | T1, 0) == 1  # both cost nothing: the last one goes on


def test_ties_go_to_the_lowest_thread() -> None:
    policy = Policy(Limits(fair=2))
    assert policy.choose(T1 | T2, 0) == 1


def test_the_preemption_policy_is_over_bound_when_only_a_preemption_is_left() -> None:
    policy = Policy(Limits(preemption=0), sleep=((0, X_READ),), prefix_length=2)
    took(policy, 0, T0 | T1)
    took(policy, 1, T0 | T1)  # the prefix itself spends a preemption
    assert policy.preemptions == 1
    policy.sleep[1] = Y_WRITE
    assert policy.choose(T1 | T2, 0) is Outcome.OVER_BOUND


def test_the_combined_policy_prefers_an_awake_thread_within_both_bounds() -> None:
    policy = Policy(Limits(preemption=0, fair=0))
    took(policy, 1, T0 | T1 | T2, yields=True)
    took(policy, 0, T0 | T1 | T2, yields=True)
    assert policy.choose(T0 | T1 | T2, 0) == 2


def test_everybody_asleep_is_redundant() -> None:
    policy = Policy(sleep=((0, X_READ), (1, X_READ)), prefix_length=1)
    took(policy, 2, T0 | T1 | T2, footprint=Y_WRITE)
    assert policy.choose(T0 | T1, 0) is Outcome.REDUNDANT


def test_a_conflicting_step_wakes_a_sleeper_for_good() -> None:
    policy = Policy(sleep=((0, X_READ),), prefix_length=1)
    took(policy, 1, T0 | T1, footprint=X_WRITE)
    took(policy, 1, T0 | T1, footprint=Y_WRITE)
    assert policy.sleep == {}


def test_reads_do_not_wake_a_reader() -> None:
    policy = Policy(sleep=((0, X_READ),), prefix_length=1)
    took(policy, 1, T0 | T1, footprint=X_READ)
    assert policy.sleep == {0: X_READ}


def test_what_the_mover_does_next_wakes_only_with_wake_next() -> None:
    following = Operation(Op.WRITE, X_WRITE)
    for wake_next, left in ((True, {}), (False, {0: X_READ})):
        policy = Policy(sleep=((0, X_READ),), wake_next=wake_next, prefix_length=1)
        took(policy, 1, T0 | T1, footprint=Y_WRITE, following=following)
        assert policy.sleep == left


def test_the_end_of_the_process_as_next_operation_wakes_everybody() -> None:
    policy = Policy(sleep=((0, X_READ),), wake_next=True, prefix_length=1)
    took(policy, 1, T0 | T1, following=Operation(Op.PROCESS_END))
    assert policy.sleep == {}


def test_the_sleep_set_belongs_to_the_last_step_of_the_prefix() -> None:
    policy = Policy(sleep=((0, X_READ),), prefix_length=3)
    took(policy, 1, T0 | T1, footprint=X_WRITE)  # before the sleep set is valid: wakes nobody
    took(policy, 0, T0 | T1, footprint=X_WRITE)
    assert policy.sleep == {0: X_READ}
    took(policy, 1, T0 | T1, footprint=X_WRITE)
    assert policy.sleep == {}


def test_the_mover_leaves_the_sleep_set() -> None:
    policy = Policy(sleep=((0, X_READ), (1, X_READ)), prefix_length=1)
    took(policy, 1, T0 | T1)
    assert policy.sleep == {0: X_READ}


def test_states_in_which_the_bound_refused_somebody_are_counted() -> None:
    policy = Policy(Limits(preemption=0))
    policy.choose(T0 | T1, 0)
    took(policy, 0, T0 | T1)
    policy.choose(T0 | T1, 0)
    policy.choose(T0, 0)
    policy.choose(T1, 0)
    assert policy.refused == 1


def test_a_state_is_idle_when_nobody_is_ready() -> None:
    policy = Policy()
    assert policy.is_idle(0, T1)
    assert not policy.is_idle(T0, T1)
    assert not policy.is_idle(0, 0)


def test_a_state_is_idle_when_everybody_ready_is_fair_blocked_beside_the_timed_waiters() -> None:
    policy = Policy(Limits(fair=1))
    for _ in range(2):
        took(policy, 0, T0, yields=True)
    assert not policy.fair_blocked(0, T0)  # alone it may go on
    assert policy.is_idle(T0, T1)
    assert not policy.is_idle(T0 | T2, T1)
    assert not Policy(Limits(preemption=0)).is_idle(T0, T1)
