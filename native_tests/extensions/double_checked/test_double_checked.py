import double_checked
import pytest


@pytest.mark.bpor(gil="real")
def test_everybody_gets_the_setting(bpor):
    """expect: assertion"""
    assert bpor.threads(double_checked.get, double_checked.get) == (42, 42)
