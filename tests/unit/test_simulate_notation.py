"""The notation for tiny programs."""

from __future__ import annotations

import pytest

from bpor.model.plan import Plan
from bpor.protocol.ops import Op
from bpor.simulate.executor import SimulatedExecutor
from bpor.simulate.notation import parse


def kinds(text: str) -> list[Op]:
    return [step.operation.kind for step in SimulatedExecutor(parse(text)).run(Plan()).steps]


def test_variables_may_be_attached_to_their_access() -> None:
    assert kinds("Wx; R x; RMWx; CAS y") == [Op.WRITE, Op.READ, Op.RMW, Op.CAS]


def test_arguments_may_stand_in_parentheses() -> None:
    assert kinds("lock a; timedwait(c1, a); unlock a") == [Op.MUTEX_LOCK, Op.COND_WAIT, Op.COND_WAKE, Op.MUTEX_UNLOCK]


def test_an_operation_can_be_repeated() -> None:
    assert kinds("3*yield; 2*Wx") == [Op.YIELD] * 3 + [Op.WRITE] * 2


def test_if_and_unless_look_at_the_value_observed_last() -> None:
    assert kinds("Rx; if Wy; unless Wz") == [Op.READ, Op.WRITE]
    assert kinds("Wx; Rx; if Ry; if Wy") == [Op.WRITE, Op.READ, Op.READ]
    assert kinds("trylock; if unlock") == [Op.MUTEX_TRYLOCK, Op.MUTEX_UNLOCK]


def test_while_repeats_as_long_as_the_last_value_is_true() -> None:
    assert kinds("post; post; sem_trywait; while sem_trywait") == [Op.SEM_POST] * 2 + [Op.SEM_TRYWAIT] * 3


def test_every_operation_has_its_own_site_and_writes_its_own_value() -> None:
    trace = SimulatedExecutor(parse("Wx; Rx; Wx; Rx | Wx; Rx")).run(Plan())
    assert len({step.operation.site for step in trace.steps}) == 6
    assert len({step.value for step in trace.steps if step.operation.kind is Op.READ}) == 3


def test_a_spawned_thread_is_not_there_at_the_start() -> None:
    program = parse("spawn 1; join 1; Wx | Wy")
    assert len(program.threads) == 1
    assert [step.thread for step in SimulatedExecutor(program).run(Plan()).steps] == [0, 1, 0, 0]


def test_an_unknown_operation_is_an_error_that_names_it() -> None:
    with pytest.raises(ValueError, match="'frobnicate' is no operation"):
        parse("Wx; frobnicate x")


def test_threads_keep_their_numbers_in_the_text_when_an_earlier_one_is_spawned() -> None:
    program = parse("Wx | Wy | spawn 1; join 0; join 1")
    kinds_by_thread = [(step.thread, step.operation.target) for step in SimulatedExecutor(program).run(Plan()).steps]
    assert kinds_by_thread == [(0, None), (1, None), (1, 0), (2, None), (1, 2)]
