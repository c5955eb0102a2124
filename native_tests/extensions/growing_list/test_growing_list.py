import growing_list
import pytest


@pytest.mark.bpor(gil="real")
def test_the_total_of_a_list_that_grows(bpor):
    """expect: memory"""
    growing_list.append(1)
    growing_list.append(2)
    total, _ = bpor.threads(growing_list.total, lambda: growing_list.append(4))
    assert total in (3, 7)
