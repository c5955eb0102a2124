import pytest


@pytest.mark.bpor(bound="preemption:1", watchdog=1)
def test_imported_late(bpor):
    from parallel import add_reduced

    bpor.check(lambda: add_reduced())
