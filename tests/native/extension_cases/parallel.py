import pytest
from parallel import add_on_the_stack, add_racing, add_reduced

explored = pytest.mark.bpor(bound="preemption:1", watchdog=2)
without_gil = pytest.mark.bpor(bound="preemption:1", gil="off")


@explored
def test_racing(bpor):
    bpor.check(lambda: add_racing())


@without_gil
@pytest.mark.parametrize("add", [add_racing, add_on_the_stack])
def test_racing_without_a_gil(bpor, add):
    def both_count():
        assert add() == 2

    bpor.check(both_count)


@explored
def test_reduced(bpor):
    def both_count():
        assert add_reduced() == 2

    bpor.check(both_count)
