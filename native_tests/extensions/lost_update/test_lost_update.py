import threading

import lost_update
import pytest


@pytest.mark.bpor(gil="real")
def test_two_additions_are_two(bpor):
    """expect: assertion"""
    before = lost_update.value()
    bpor.threads(lost_update.add, lost_update.add)
    assert lost_update.value() == before + 2


@pytest.mark.bpor(gil="off")
def test_two_additions_are_two_without_a_gil(bpor):
    """expect: assertion"""
    before = lost_update.value()
    bpor.threads(lost_update.add, lost_update.add)
    assert lost_update.value() == before + 2


@pytest.mark.bpor(gil="real")
def test_plain_threads_add_two():
    """expect: assertion"""
    before = lost_update.value()
    threads = [threading.Thread(target=lost_update.add) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert lost_update.value() == before + 2
