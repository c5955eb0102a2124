"""An extension that the test itself imports; run by tests/native/test_switches.py."""

import threading


def add():
    import probe

    probe.put(probe.get() + 1)


def test_before_its_threads(bpor):
    import probe

    bpor.threads(add, add)
    assert probe.get() == 2


def test_in_its_threads():
    threads = [threading.Thread(target=add) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
