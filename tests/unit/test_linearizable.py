"""The oracle of linearizable(): what serial orders give, and what no serial order gives."""

from __future__ import annotations

import os
import signal
import subprocess
import threading
import warnings
from collections.abc import Callable
from typing import Any

import pytest

from bpor.extension import copies
from bpor.extension.linearizable import CallHistory, NotLinearizable, Raised, Serial, judge, names_of, serial_histories
from bpor.extension.region import Region


def push(stack: list[int]) -> int:
    stack.append(1)
    return len(stack)


def pop(stack: list[int]) -> int:
    return stack.pop()


def test_every_order_starts_afresh_and_an_exception_is_a_result() -> None:
    found = {one.order: one.history for one in serial_histories(list, [push, pop], len)}
    assert found == {(0, 1): CallHistory((1, 1), 0), (1, 0): CallHistory((1, Raised("IndexError", "pop from empty list")), 1)}


def test_a_result_that_no_order_gives_is_told_with_the_nearest() -> None:
    serial = [Serial((0, 1), CallHistory((1, 2), 2)), Serial((1, 0), CallHistory((2, 1), 2))]
    judge(CallHistory((2, 1), 2), serial, ("a", "b"), True)
    with pytest.raises(NotLinearizable) as told:
        judge(CallHistory((1, 1), 1), serial, ("a", "b"), True)
    assert str(told.value).splitlines() == [
        "a returns 1, b returns 1, observed 1; no serial order of 2 gives that",
        "nearest serial order: a, b, which gives a returns 1, b returns 2, observed 2",
    ]


class Plain:
    """Equal to itself alone."""

    def __init__(self, number: int) -> None:
        self.number = number


def test_results_that_are_equal_to_no_copy_of_theirs_are_compared_by_content() -> None:
    """A NaN, and an object without a comparison, were results that no serial order gives."""
    serial = serial_histories(list, [lambda _: float("nan"), lambda _: Plain(1)], lambda _: [Plain(2)])
    judge(CallHistory((float("nan"), Plain(1)), [Plain(2)]), serial, ("a", "b"), True)
    with pytest.raises(NotLinearizable):
        judge(CallHistory((float("nan"), Plain(1)), [Plain(3)]), serial, ("a", "b"), True)


def test_addresses_in_the_text_of_an_exception_are_no_difference() -> None:
    def fails(_: Any) -> None:
        raise ValueError("<Cache at 0x7f00deadbeef> is closed")

    serial = serial_histories(list, [fails, len], None)
    judge(CallHistory((Raised("ValueError", "<Cache at 0x…> is closed"), 0)), serial, ("a", "b"), False)


def test_an_order_that_waits_for_another_operation_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(copies, "_SECONDS", 0.2)
    release: Callable[[Any], None] = lambda semaphore: semaphore.release()  # noqa: E731
    acquire: Callable[[Any], bool] = lambda semaphore: bool(semaphore.acquire())  # noqa: E731
    found = serial_histories(lambda: threading.Semaphore(0), [acquire, release], None)
    assert [one.order for one in found] == [(1, 0)]


def test_an_order_that_is_kept_from_running_is_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a busy machine an order took more than its time, and what it would have given was taken for impossible."""
    monkeypatch.setattr(copies, "_SECONDS", 0.2)

    def is_stopped(_: Any) -> None:
        subprocess.Popen(["sh", "-c", f"sleep 0.6; kill -CONT {os.getpid()}"])
        os.kill(os.getpid(), signal.SIGSTOP)

    assert len(serial_histories(list, [is_stopped, len], None)) == 2


def test_it_forks_beside_other_threads_without_a_warning(monkeypatch: pytest.MonkeyPatch) -> None:
    """Python warns of that from 3.12 on, and tests may turn warnings into errors; older ones are made to."""
    fork = os.fork

    def warning_fork() -> int:
        warnings.warn("This process is multi-threaded, use of fork() may lead to deadlocks in the child.", DeprecationWarning, stacklevel=2)
        return fork()

    monkeypatch.setattr(os, "fork", warning_fork)
    ended = threading.Event()
    other = threading.Thread(target=ended.wait)
    other.start()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            assert len(serial_histories(list, [push, pop], len)) == 2
    finally:
        ended.set()
        other.join()


def test_results_that_do_not_pickle_are_explained() -> None:
    with pytest.raises(RuntimeError, match="values that pickle"):
        serial_histories(list, [lambda _: threading.Lock(), push], None)


@pytest.mark.parametrize("count", [1, 7])
def test_the_number_of_operations_is_limited(count: int) -> None:
    with pytest.raises(ValueError, match=f"2 to 6 operations, not {count}"):
        serial_histories(list, [push] * count, None)


def test_operations_are_told_apart_by_name_or_number() -> None:
    assert names_of([push, pop]) == ("push", "pop")
    assert names_of([push, push, lambda _: 1]) == ("push 1", "push 2", "operation 3")


def test_on_real_threads_the_one_result_is_checked() -> None:
    Region().linearizable(list, push, pop, observe=len)
    both = threading.Barrier(2)

    def racy(stack: list[int]) -> int:
        seen = len(stack)
        if threading.current_thread() is not threading.main_thread():
            both.wait()
        stack.append(1)
        return seen

    with pytest.raises(NotLinearizable):
        Region().linearizable(list, racy, racy)


def test_the_first_exception_of_a_thread_is_raised_and_bad_arguments_are_refused() -> None:
    def fail() -> None:
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        Region().threads(lambda: 1, fail)
    with pytest.raises(TypeError, match="functions without arguments"):
        Region().threads(1)  # type: ignore[arg-type]
