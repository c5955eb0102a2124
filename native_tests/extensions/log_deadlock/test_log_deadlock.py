import log_deadlock
import pytest


@pytest.mark.bpor(gil="real")
def test_two_threads_can_log(bpor):
    """expect: deadlock"""
    before = log_deadlock.written()
    bpor.threads(log_deadlock.write_line, log_deadlock.write_line)
    assert log_deadlock.written() == before + 2


@pytest.mark.bpor(gil="off")
def test_without_a_gil_the_mutex_alone_cannot_deadlock(bpor):
    """expect: pass"""
    before = log_deadlock.written()
    bpor.threads(log_deadlock.write_line, log_deadlock.write_line)
    assert log_deadlock.written() == before + 2
