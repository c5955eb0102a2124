import missing_lock
import pytest


def push_and_push(bpor):
    bpor.linearizable(
        lambda: missing_lock,
        lambda stack: stack.push(1),
        lambda stack: stack.push(2),
        observe=lambda stack: (stack.pop(), stack.pop(), stack.pop()),
    )


@pytest.mark.bpor(gil="off")
def test_pushes_without_a_gil(bpor):
    """expect: nonlinearizable"""
    push_and_push(bpor)


@pytest.mark.bpor(gil="real")
def test_the_gil_is_a_lock(bpor):
    """expect: pass"""
    push_and_push(bpor)
