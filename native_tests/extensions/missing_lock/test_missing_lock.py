import pytest
from missing_lock import Stack


def stack_of_two():
    stack = Stack()
    stack.push(1)
    stack.push(2)
    return stack


def stack_beside_much_else():
    """The interpreter makes these of memory that it kept, as far as it has some: how much, depends on what it did before."""
    return *([0.5 * number] for number in range(300)), stack_of_two()


def push(stack):
    stack.push(3)


def pop(stack):
    return stack.pop()


def contents(stack):
    found = []
    while True:
        try:
            found.append(stack.pop())
        except IndexError:
            return found


@pytest.mark.bpor(gil="off")
def test_two_pushes_without_a_gil(bpor):
    """expect: nonlinearizable"""
    bpor.linearizable(stack_of_two, push, push, observe=contents)


@pytest.mark.bpor(gil="off")
def test_two_pops_without_a_gil(bpor):
    """expect: memory"""
    bpor.linearizable(stack_of_two, pop, pop, observe=contents)


@pytest.mark.bpor(gil="off")
def test_two_pops_beside_much_else_without_a_gil(bpor):
    """expect: memory"""
    bpor.linearizable(stack_beside_much_else, lambda kept: pop(kept[-1]), lambda kept: pop(kept[-1]))


@pytest.mark.bpor(gil="real")
def test_the_gil_is_a_lock(bpor):
    """expect: pass"""
    bpor.linearizable(stack_of_two, push, pop, observe=contents)
