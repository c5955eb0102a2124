import pytest
from cython_histogram import Histogram


@pytest.mark.bpor(gil="real")
def test_two_values_of_one_bin(bpor):
    """expect: race"""
    histogram = Histogram()
    bpor.threads(lambda: histogram.add(1), lambda: histogram.add(5))
    assert histogram.counted(1) == 2


@pytest.mark.bpor(gil="off")
def test_two_values_of_one_bin_without_a_gil(bpor):
    """expect: assertion"""
    histogram = Histogram()
    bpor.threads(lambda: histogram.add(1), lambda: histogram.add(5))
    assert histogram.counted(1) == 2


@pytest.mark.bpor(gil="real")
def test_two_values_of_different_bins(bpor):
    """expect: pass"""
    histogram = Histogram()
    bpor.threads(lambda: histogram.add(1), lambda: histogram.add(2))
    assert (histogram.counted(1), histogram.counted(2)) == (1, 1)
