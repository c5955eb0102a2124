"""Tests of which something is not seen; run by tests/native/test_pytest_seen.py."""

import select
import threading

import plain
import probe
import pytest


def in_two_threads(function):
    threads = [threading.Thread(target=function) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


@pytest.mark.bpor(gil="off")
def test_a_module_that_is_not_instrumented():
    in_two_threads(plain.count)


@pytest.mark.bpor(gil="off", require="calls")
def test_nothing_that_runs_is_instrumented():
    in_two_threads(plain.count)


@pytest.mark.bpor(gil="off", require="calls")
def test_some_of_it_is_instrumented():
    in_two_threads(probe.get)


@pytest.mark.bpor(gil="off", require="calls")
def test_calls_by_a_pointer(bpor):
    items = iter([1, 2])
    bpor.threads(lambda: probe.next_by_slot(items), lambda: probe.next_by_slot(items))


@pytest.mark.bpor(bound="preemption:1")
def test_locks_alone(bpor):
    lock = threading.Lock()

    def use():
        with lock:
            pass

    bpor.threads(use, use)


@pytest.mark.bpor
def test_refused():
    made_too_early = select.epoll()
    in_two_threads(lambda: made_too_early.poll(0))


@pytest.mark.bpor
@pytest.mark.xfail
def test_refused_and_known_to_fail():
    test_refused()


@pytest.mark.bpor(bound="preemption:1")
@pytest.mark.xfail
def test_known_to_fail():
    test_threads_without_a_mark()


@pytest.mark.bpor
@pytest.mark.skip
def test_skipped():
    pass


@pytest.mark.bpor
def test_no_thread():
    pass


def test_threads_without_a_mark():
    in_two_threads(probe.split)
    assert probe.get() == 2


class TestMethods:
    def test_a_method(self):
        pass
