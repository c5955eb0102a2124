import pytest
from cffi_account import lib


@pytest.mark.bpor(gil="real")
def test_an_account_is_not_overdrawn(bpor):
    """expect: race"""
    paid = bpor.threads(lambda: lib.withdraw(70), lambda: lib.withdraw(60))
    assert (sum(paid), lib.balance >= 0) == (1, True)
