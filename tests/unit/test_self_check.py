"""The self-check on simulated programs: what it takes for reversible, and that it notices an executor that does not obey."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bpor.errors import Diverged
from bpor.model.plan import Plan
from bpor.model.trace import Description, Trace
from bpor.self_check import check_orders, check_tasks, reversible
from bpor.simulate.executor import SimulatedExecutor
from bpor.simulate.notation import parse

RACE = "Wx | Wx"


class Obedient(SimulatedExecutor):
    def describe(self, plan: Plan) -> tuple[Trace, Description]:
        return self.run(plan), Description()

    def executing(self) -> int:
        return 1


class Deaf(Obedient):
    """Runs its own way whatever it is asked."""

    def run(self, plan: Plan) -> Trace:
        return super().run(replace(plan, prefix=()))


class Forgetful(Obedient):
    """Every execution has the same hash."""

    def run(self, plan: Plan) -> Trace:
        return replace(super().run(plan), hash=7)


class Wayward(Obedient):
    def run(self, plan: Plan) -> Trace:
        if plan.prefix:
            raise Diverged(1, "this", "that")
        return super().run(plan)


class Disturbed(Obedient):
    """The second execution is led astray behind its first choice."""

    def run(self, plan: Plan) -> Trace:
        trace = super().run(plan)
        if plan.chooser is not None:
            raise Diverged(1, "this", "that")
        return trace


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (RACE, True),
        ("Wx | Rx", True),
        ("Rx | Rx", False),
        ("Wx | Wy", False),
        ("lock; unlock | lock; unlock", True),
        ("Wx; Wx", False),
    ],
)
def test_a_pair_is_reversible_if_its_order_was_a_choice(text: str, found: bool) -> None:
    trace = Obedient(parse(text)).run(Plan())
    assert (reversible(trace.steps) is not None) is found
    assert check_orders(Obedient(parse(text)), 1000).passed is (True if found else None)


def test_a_lock_that_had_to_come_first_is_not_reversed_with_the_one_that_waited() -> None:
    pair = reversible(Obedient(parse("lock; unlock | lock; unlock")).run(Plan()).steps)
    assert pair is not None
    assert pair.first == 0, "lock with lock, not unlock with lock"


@pytest.mark.parametrize(
    ("executor", "words"), [(Deaf, "in the same order"), (Forgetful, "the same hash"), (Wayward, "cannot be reversed")]
)
def test_an_executor_that_does_not_obey_fails_it(executor: type[Obedient], words: str) -> None:
    found = check_orders(executor(parse(RACE)), 1000)
    assert found.passed is False
    assert words in str(found)


def test_a_thread_too_many_fails_it() -> None:
    program = parse("Wx | Wx | Wx")
    threads = Obedient(program).run(Plan())
    assert check_tasks(Obedient(program), 1000, lambda _: 3).passed is True
    stranger = check_tasks(Obedient(program), 1000, lambda _: 4)
    assert (stranger.passed, threads.threads) == (False, 3)
    assert "4 kernel threads run in it before step 0, 3 of them ours" in str(stranger)


def test_a_thread_too_many_explains_why_a_schedule_cannot_be_repeated() -> None:
    program = parse(RACE)
    assert check_tasks(Disturbed(program), 1000, lambda _: 9).passed is False
    with pytest.raises(Diverged):
        check_tasks(Disturbed(program), 1000, lambda _: 2)
