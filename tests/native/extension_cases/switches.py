"""What can happen between two calls although there is a GIL; run by tests/native/test_switches.py."""

import threading

import probe
import pytest

pytestmark = pytest.mark.bpor(gil="real", bound="preemption:1")


def nested(outer, inner):
    with outer, inner:
        pass


@pytest.mark.parametrize("make", [threading.Lock, threading.RLock], ids=["lock", "rlock"])
def test_both_orders(bpor, make):
    one, other = make(), make()
    bpor.threads(lambda: nested(one, other), lambda: nested(other, one))


def test_one_order(bpor):
    one, other = threading.Lock(), threading.Lock()
    bpor.threads(lambda: nested(one, other), lambda: nested(one, other))


def test_read_then_written(bpor):
    bpor.threads(*[lambda: probe.put(probe.get() + 1)] * 2)
    assert probe.get() == 2


def test_read_then_written_under_a_lock(bpor):
    lock = threading.Lock()

    def add():
        with lock:
            probe.put(probe.get() + 1)

    bpor.threads(add, add)
    assert probe.get() == 2


def test_one_call(bpor):
    bpor.threads(probe.count, probe.count)
    assert probe.get() == 2


@pytest.mark.parametrize("collect", [list, tuple, set, lambda it: [*it], sum], ids=["list", "tuple", "set", "unpack", "sum"])
def test_all_at_once(bpor, collect):
    """One bytecode, whatever it asks of the extension."""
    readings = probe.Readings()
    _, read = bpor.threads(lambda: probe.put(5), lambda: collect(readings))
    assert read in (collect([0] * 4), collect([5] * 4))


def one_after_the_other(readings):
    return [reading for reading in readings]


def by_next(readings):
    rest = iter(readings)
    return [next(rest), next(rest), next(rest), next(rest)]


@pytest.mark.parametrize("collect", [one_after_the_other, by_next])
def test_one_by_one(bpor, collect):
    readings = probe.Readings()
    _, read = bpor.threads(lambda: probe.put(5), lambda: collect(readings))
    assert len(set(read)) == 1


def test_an_attribute_of_python(bpor):
    class Counter:
        value = 0

    def add():
        value = Counter.value
        probe.get()
        Counter.value = value + 1

    bpor.threads(add, add)


def add():
    probe.put(probe.get() + 1)


def test_called_back(bpor):
    bpor.threads(*[lambda: probe.call(add)] * 2)
    assert probe.get() == 2


def test_called_back_in_threads_of_the_extension(bpor):
    bpor.check(lambda: probe.call_twice(add))
    assert probe.get() == 2


def test_called_by_the_extension_itself(bpor):
    bpor.threads(*[lambda: probe.add_by(probe.get, probe.put)] * 2)
    assert probe.get() == 2


def test_called_by_the_extension_after_python(bpor):
    bpor.threads(*[lambda: probe.add_by(lambda: probe.get(), probe.put)] * 2)
    assert probe.get() == 2


@pytest.mark.parametrize("called", [lambda: None, lambda: (yield), str], ids=["python", "generator", "builtin"])
def test_held_across_a_call(bpor, called):
    bpor.threads(*[lambda: probe.add_around(called)] * 2)
    assert probe.get() == 2


def test_functions_that_were_made_by_the_test(bpor):
    get, put = probe.make_functions()
    bpor.threads(*[lambda: put(get() + 1)] * 2)
    assert probe.get() == 2
