"""Tests that fail under some schedule, one for each way to fail; run by tests/native/test_pytest_plugin.py."""

import os
import threading
import unittest

import probe
import pytest


def test_assertion(bpor):
    print("printed before")
    bpor.threads(probe.split, probe.split)
    os.write(2, b"written after\n")
    assert probe.get() == 2, "both updates count"


def test_race(bpor):
    bpor.threads(probe.racy, probe.racy)


def test_deadlock_with_the_gil(bpor):
    bpor.threads(probe.gil_then_lock, probe.lock_then_gil)


def test_use_after_free(bpor):
    probe.acquire()
    bpor.threads(probe.use, probe.give_back)


def test_crash(bpor):
    bpor.threads(probe.forget, probe.follow)


def test_not_linearizable(bpor):
    def one(_):
        return probe.split()

    def two(_):
        return probe.split()

    bpor.linearizable(object, one, two, observe=lambda _: probe.get())


def test_exception_of_a_function(bpor):
    def fails():
        raise ValueError("told by main")

    bpor.threads(probe.safe, fails)


@pytest.mark.bpor
def test_exception_of_a_plain_thread():
    def fails():
        raise ValueError("told by the thread")

    thread = threading.Thread(target=fails)
    thread.start()
    thread.join()


@pytest.mark.bpor
def test_plain_threads():
    thread = threading.Thread(target=probe.split)
    thread.start()
    probe.split()
    thread.join()
    assert probe.get() == 2


@pytest.mark.parametrize("word", ["it's [1] & more"])
def test_checked_function(bpor, word):
    def both():
        thread = threading.Thread(target=probe.split)
        thread.start()
        probe.split()
        thread.join(5)

    bpor.check(both)
    assert probe.get() == 2


def test_fails_before_it_starts_a_thread(bpor):
    assert probe.get() == 7


@pytest.mark.bpor(watchdog=0.5)
def test_out_of_sight(bpor):
    bpor.threads(probe.spin, probe.get)


@pytest.mark.bpor(max_executions=2)
def test_too_large(bpor):
    bpor.threads(probe.safe, probe.safe)


@pytest.mark.bpor(bund="preemption:1")
def test_misspelled():
    pass


@pytest.mark.bpor(gil="off")
def test_without_the_gil(bpor):
    bpor.threads(probe.count, probe.count)
    assert probe.get() == 2


@pytest.mark.xfail(raises=AssertionError)
def test_known_to_fail(bpor):
    bpor.threads(probe.split, probe.split)
    assert probe.get() == 2


@pytest.mark.bpor
async def test_coroutine():
    pass


@pytest.mark.bpor
class TestMethods(unittest.TestCase):
    def setUp(self):
        probe.put(1)

    def split_twice(self):
        thread = threading.Thread(target=probe.split)
        thread.start()
        self.addCleanup(lambda: self.assertEqual(thread.is_alive(), False))
        probe.split()
        thread.join()

    def test_method(self):
        self.split_twice()
        self.assertEqual(probe.get(), 3)

    def test_method_in_parts(self):
        self.split_twice()
        with self.subTest("a part"):
            self.assertEqual(probe.get(), 3)

    def test_method_that_passes(self):
        self.split_twice()
        self.assertIn(probe.get(), (2, 3))

    def test_method_that_skips(self):
        self.split_twice()
        self.skipTest("it says so")

    @unittest.expectedFailure
    def test_method_that_is_known_to_fail(self):
        self.test_method()


@pytest.mark.bpor(gil="off")
def test_a_number_beside_an_object(bpor):
    bpor.threads(probe.count_labelled, probe.count_labelled)
    assert probe.labelled_count() == 2


def test_work_behind_two_threads_of_its_own(bpor):
    def work():
        for _ in range(2):
            thread = threading.Thread(target=int)
            thread.start()
            thread.join()
        probe.split()

    before = probe.get()
    bpor.threads(work, probe.split)
    counted = probe.get() - before
    assert counted == 2
