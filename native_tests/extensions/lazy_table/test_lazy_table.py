import lazy_table
import pytest


@pytest.mark.bpor(gil="real")
def test_first_use_by_two_threads(bpor):
    """expect: race"""
    assert bpor.threads(lambda: lazy_table.square(3), lambda: lazy_table.square(4)) == (9, 16)
