"""Inputs that tests of an extension leave open; run by tests/native/test_pytest_choices.py."""

import probe


def test_an_input_before_the_threads(bpor):
    calls = bpor.choose(3)
    bpor.threads(lambda: [probe.count() for _ in range(calls)], lambda: None)
    assert probe.get() < 2


def test_many_inputs(bpor):
    number = bpor.choose(66)
    bpor.threads(lambda: None)
    assert number != 64


def test_an_input_in_a_thread(bpor):
    chosen = []
    bpor.threads(lambda: chosen.append(bpor.choose(4)), probe.count)
    assert chosen[0] in range(4)


def test_assumed(bpor):
    number = bpor.choose(10)
    bpor.assume(number % 5 == 0)
    bpor.threads(probe.count)
    assert number in (0, 5)


def test_all_assumed_away(bpor):
    bpor.assume(bpor.choose(2) == 2)
    bpor.threads(probe.count)
