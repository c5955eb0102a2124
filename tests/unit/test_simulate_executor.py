"""SimulatedExecutor: plans and questions, what it reports, divergence, threads created in mid-run, and its speed."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

import pytest

from bpor.errors import Diverged, InternalError
from bpor.model.plan import Limits, Plan, State
from bpor.model.policy import Policy
from bpor.model.trace import Outcome
from bpor.protocol.ops import Op
from bpor.simulate.action import Action
from bpor.simulate.executor import SimulatedExecutor
from bpor.simulate.memory import read, write
from bpor.simulate.mutex import lock, unlock
from bpor.simulate.notation import parse
from bpor.simulate.program import program, program_with_main
from bpor.simulate.thread import join, spawn
from tests.effort import calls_of

Code = Generator[Action, Any, None]


def test_a_prefix_is_followed_and_then_the_policy_goes_on() -> None:
    trace = SimulatedExecutor(parse("Wx; Wx | Wx; Wx")).run(Plan(prefix=(0, 1)))
    assert [step.thread for step in trace.steps] == [0, 1, 1, 0]
    assert trace.preemptions == 1 and trace.end.outcome is Outcome.PASSED and trace.threads == 2


def test_the_same_plan_gives_the_same_trace() -> None:
    executor = SimulatedExecutor(parse("Wx; lock; unlock | Rx; lock"))
    assert executor.run(Plan(prefix=(0, 1, 0))) == executor.run(Plan(prefix=(0, 1, 0)))


def test_steps_tell_what_was_enabled_before_and_announced_after() -> None:
    trace = SimulatedExecutor(parse("lock; unlock | lock; unlock")).run(Plan())
    assert [operation.kind for _, operation in trace.initial] == [Op.MUTEX_LOCK, Op.MUTEX_LOCK]
    assert [step.enabled for step in trace.steps] == [0b11, 0b01, 0b10, 0b10]
    assert [[operation.kind for _, operation in step.announced] for step in trace.steps] == [[Op.MUTEX_UNLOCK], [], [Op.MUTEX_UNLOCK], []]
    assert [step.finished for step in trace.steps] == [(), (0,), (), (1,)]


def test_only_steps_from_report_from_on_are_reported() -> None:
    executor = SimulatedExecutor(parse("Wx; Wx; Wx"))
    whole, rest = executor.run(Plan()), executor.run(Plan(report_from=2))
    assert rest.first == 2 and rest.steps == whole.steps[2:] and rest.initial == () and rest.length == 3
    assert rest.hash == whole.hash


def test_a_prefix_thread_that_is_not_enabled_diverges() -> None:
    with pytest.raises(Diverged) as caught:
        SimulatedExecutor(parse("lock | lock")).run(Plan(prefix=(0, 1)))
    assert caught.value.step == 1
    with pytest.raises(Diverged):
        SimulatedExecutor(parse("Wx")).run(Plan(prefix=(0, 0)))


def test_a_prefix_with_another_hash_diverges() -> None:
    executor = SimulatedExecutor(parse("Wx; Wy | Wx; Wy"))
    trace = executor.run(Plan(prefix=(0, 1, 0)))
    good = Plan(prefix=(0, 1, 1), prefix_hash=trace.steps[1].hash)
    assert [step.thread for step in executor.run(good).steps] == [0, 1, 1, 0]
    with pytest.raises(Diverged):
        executor.run(Plan(prefix=(1, 0, 1), prefix_hash=trace.steps[1].hash))


def test_a_step_limit_ends_a_run_that_does_not() -> None:
    trace = SimulatedExecutor(parse("until Rx")).run(Plan(max_steps=10))
    assert trace.end.outcome is Outcome.STEP_LIMIT and trace.length == 10


def test_a_program_that_ends_exactly_at_the_limit_has_passed() -> None:
    assert SimulatedExecutor(parse("Wx; Wx")).run(Plan(max_steps=2)).end.outcome is Outcome.PASSED


def test_a_chooser_is_asked_for_every_step_after_the_prefix() -> None:
    seen: list[State] = []

    def choose(state: State) -> int | None:
        seen.append(state)
        return None if state.index == 3 else 1 if state.enabled & 2 else 0

    trace = SimulatedExecutor(parse("Wx; Wx | Wx; Wx")).run(Plan(prefix=(0,), chooser=choose))
    assert [step.thread for step in trace.steps] == [0, 1, 1] and trace.end.outcome is Outcome.STOPPED
    assert [(state.index, state.enabled, state.last) for state in seen] == [(1, 3, 0), (2, 3, 1), (3, 1, 1)]
    assert [state.step for state in seen] == list(trace.steps)
    assert seen[0].pending[1].kind is Op.WRITE


def test_a_chooser_that_picks_a_disabled_thread_is_our_fault() -> None:
    with pytest.raises(InternalError):
        SimulatedExecutor(parse("lock; unlock | lock")).run(Plan(prefix=(0,), chooser=lambda state: 1))


@pytest.mark.parametrize("limits", [Limits(), Limits(preemption=1), Limits(fair=1), Limits(preemption=1, fair=1)])
def test_asking_the_policy_gives_the_trace_that_the_plan_gives(limits: Limits) -> None:
    executor = SimulatedExecutor(parse("Wx; yield; lock; unlock | lock; yield; Rx; unlock | until Rx"))
    for prefix in ((0,), (1, 0), (2, 2, 1)):
        policy = Policy(limits, prefix_length=len(prefix))

        def choose(state: State, policy: Policy = policy, prefix: tuple[int, ...] = prefix) -> int | None:
            if state.index == len(prefix):
                self_replay(policy, executor, prefix, limits)
            else:
                note(policy, state)
            choice = policy.choose(state.enabled, state.timed)
            return choice if isinstance(choice, int) else None

        assert executor.run(Plan(prefix, limits=limits, chooser=choose)).steps == executor.run(Plan(prefix, limits=limits)).steps


def note(policy: Policy, state: State) -> None:
    step = state.step
    assert step is not None
    policy.took(step.thread, step.enabled, step.timed, step.footprint, step.yields, step.cuts, dict(step.announced).get(step.thread))


def self_replay(policy: Policy, executor: SimulatedExecutor, prefix: tuple[int, ...], limits: Limits) -> None:
    for step in executor.run(Plan(prefix, limits=limits, stop_after_prefix=True)).steps:
        policy.took(step.thread, step.enabled, step.timed, step.footprint, step.yields, step.cuts, dict(step.announced).get(step.thread))


def worker() -> Code:
    yield lock()
    value = yield read("x")
    yield write("x", value + 1)
    yield unlock()


def test_main_creates_and_joins_threads_and_its_return_ends_the_process() -> None:
    def main() -> Code:
        first = yield spawn(worker)
        second = yield spawn(worker)
        yield join(first)
        yield join(second)
        assert (yield read("x")) == 2

    trace = SimulatedExecutor(program_with_main("counter", main)).run(Plan())
    assert trace.end.outcome is Outcome.PASSED and trace.threads == 3
    assert [step.operation.kind for step in trace.steps if step.thread == 0][-2:] == [Op.READ, Op.PROCESS_END]
    created = trace.steps[0].announced
    assert [thread for thread, _ in created] == [0, 1]  # the new thread ran to its first operation inside the spawn
    joins = [step for step in trace.steps if step.operation.kind is Op.JOIN]
    assert [step.operation.target for step in joins] == [1, 2] and joins[0].footprint == ()


def test_main_that_returns_does_not_wait_for_its_threads() -> None:
    def main() -> Code:
        yield spawn(worker)

    trace = SimulatedExecutor(program_with_main("detached", main)).run(Plan())
    assert [step.operation.kind for step in trace.steps] == [Op.SPAWN, Op.PROCESS_END]
    assert trace.end.outcome is Outcome.PASSED


def test_a_thread_that_ends_at_once_is_finished_by_its_creation() -> None:
    def nothing() -> Code:
        return
        yield

    def main() -> Code:
        yield join((yield spawn(nothing)))

    trace = SimulatedExecutor(program_with_main("nothing", main)).run(Plan())
    assert trace.steps[0].finished == (1,) and trace.end.outcome is Outcome.PASSED


def test_an_assertion_in_a_new_thread_fails_inside_the_spawn() -> None:
    def broken() -> Code:
        raise AssertionError("at once")
        yield

    def main() -> Code:
        yield spawn(broken)

    trace = SimulatedExecutor(program_with_main("broken", main)).run(Plan())
    assert trace.end.outcome is Outcome.ASSERTION and trace.end.message == "at once" and trace.steps[-1].ends_process


def test_a_thread_may_be_created_in_mid_run_by_any_thread() -> None:
    trace = SimulatedExecutor(parse("Wx; spawn 2; join 2 | Rx | Wy")).run(Plan())
    assert trace.threads == 3 and trace.end.outcome is Outcome.PASSED
    assert [step.thread for step in trace.steps if step.operation.kind is Op.SPAWN] == [0]


def test_a_step_costs_the_same_after_ten_thousand_others() -> None:
    executor = SimulatedExecutor(parse("until Rx | until Rx"))
    thousand = calls_of(lambda: executor.run(Plan(max_steps=1_000)))
    assert calls_of(lambda: executor.run(Plan(max_steps=10_000))) < 11 * thousand


def test_a_body_is_unrolled_once_for_all_executions() -> None:
    calls = 0

    def body() -> Code:
        nonlocal calls
        calls += 1
        yield write("x")

    executor = SimulatedExecutor(program("once", [body, body]))
    for _ in range(5):
        executor.run(Plan())
    assert calls == 1
