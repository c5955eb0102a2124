"""Tests that pass under every schedule and use what pytest has; run by tests/native/test_pytest_plugin.py."""

import os
import random
import threading

import probe
import pytest

pytestmark = pytest.mark.bpor(bound="preemption:1")


@pytest.fixture(scope="session")
def session_total():
    return {"begun": 1}


@pytest.fixture(scope="module")
def module_total(session_total):
    return session_total["begun"] + 1


def test_results_come_back_in_order(bpor):
    assert bpor.threads(lambda: 1, lambda: 2) == (1, 2)


@pytest.mark.bpor(bound="preemption:1")
def test_safe_updates(bpor):
    bpor.threads(probe.safe, probe.safe)
    assert probe.get() == 2


def test_the_gil_protects(bpor):
    bpor.threads(probe.count, probe.count)
    assert probe.get() == 2


def test_safe_updates_are_linearizable(bpor):
    def one(_):
        return probe.safe()

    def two(_):
        return probe.safe()

    bpor.linearizable(object, one, two, observe=lambda _: probe.get())


def test_a_directory_is_as_it_was_in_every_execution(bpor, tmp_path):
    (tmp_path / "before").write_text("x")
    bpor.threads((tmp_path / "a").mkdir, (tmp_path / "b").mkdir)
    assert sorted(os.listdir(tmp_path)) == ["a", "b", "before"]


def test_capsys_has_one_execution_only(bpor, capsys):
    bpor.threads(lambda: print("x"), lambda: print("y"))
    assert sorted(capsys.readouterr().out) == ["\n", "\n", "x", "y"]


def test_capfd_has_one_execution_only(bpor, capfd):
    bpor.threads(lambda: os.write(1, b"x"), lambda: os.write(1, b"y"))
    assert sorted(capfd.readouterr().out) == ["x", "y"]


def test_fixtures_of_every_scope(bpor, module_total, session_total, monkeypatch):
    monkeypatch.setenv("PROBE", "set")
    session_total["begun"] += 10  # of this process only
    assert bpor.threads(lambda: module_total, lambda: os.environ["PROBE"]) == (2, "set")


def test_what_a_test_changes_ends_with_it(bpor, session_total):
    assert session_total["begun"] == 1
    assert probe.get() == 0


def test_random_numbers_are_those_of_the_runner(bpor):
    random.seed(5)
    expected = random.Random(5).random()
    assert bpor.threads(random.random, lambda: None)[0] == expected


@pytest.mark.bpor(bound="preemption:0")
def test_plain_threads_with_a_lock():
    lock, seen = threading.Lock(), []

    def work(name):
        with lock:
            seen.append(name)

    threads = [threading.Thread(target=work, args=(name,)) for name in "ab"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(seen) == ["a", "b"]
    assert not any(thread.is_alive() for thread in threads)


@pytest.mark.bpor(bound="preemption:0")
def test_functions_may_make_threads(bpor):
    seen = []

    def work():
        thread = threading.Thread(target=seen.append, args=(1,))
        thread.start()
        thread.join()

    bpor.threads(work, work)
    assert seen == [1, 1]


@pytest.mark.bpor(bound="preemption:0")
def test_operations_may_make_threads(bpor):
    def work(subject):
        thread = threading.Thread(target=subject.append, args=(1,))
        thread.start()
        thread.join()

    bpor.linearizable(list, work, work, observe=len)


@pytest.mark.bpor
def test_without_threads():
    assert probe.get() == 0


def test_skips_itself(bpor):
    pytest.skip("not today")


def test_skips_itself_later(bpor):
    bpor.threads(lambda: 1, lambda: 2)
    pytest.skip("not now")


@pytest.mark.bpor(bound="preemption:0")
def test_a_lock_of_the_interpreter_is_no_yield(bpor):
    lock = threading.Lock()

    def use():
        for _ in range(4):
            with lock:
                pass

    bpor.threads(use, use)
