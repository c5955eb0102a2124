"""Objects that die while somebody looks at them; run by tests/native/test_references.py."""

import dying
import pytest

pytestmark = pytest.mark.bpor(gil="off", bound="preemption:1")


class Holder:
    pass


def drop_two_beside_each_other(bpor, kind):
    crowd = [kind() for _ in range(4)]

    def drop(number):
        crowd[number] = None

    bpor.threads(lambda: drop(1), lambda: drop(2))


def test_right_deallocators_with_a_lock(bpor):
    drop_two_beside_each_other(bpor, dying.Locked)


def test_wrong_deallocators_without_one(bpor):
    drop_two_beside_each_other(bpor, dying.Unlocked)


def look_beside_a_drop(bpor, look):
    crowd = [dying.Locked(), dying.Locked()]
    bpor.threads(look, crowd.clear)


def test_right_look_at_the_count(bpor):
    look_beside_a_drop(bpor, dying.first_alive)


def test_right_new_memory_is_the_same_whoever_had_it(bpor):
    """Garbage made a test nondeterministic: the process of the search and the one that confirms are forked from a runner that goes on."""
    had = [bytes([number]) * number for number in range(40, 200)]
    had.clear()

    def look():
        return {dying.new_byte(size) for size in range(40, 200, 8)}

    first, second = bpor.threads(look, look)
    assert first == second and len(first) == 1


def test_wrong_count(bpor):
    look_beside_a_drop(bpor, dying.first)


def test_wrong_exception(bpor):
    dying.keep("text " * len(Holder.__name__))
    bpor.threads(dying.fail_with, lambda: dying.keep(None))


def test_wrong_between_two_steps_of_a_call(bpor):
    box = {"pair": tuple(range(1000, 1002))}

    def replace():
        box["pair"] = ()

    text, _ = bpor.threads(lambda: dying.lent_text(box), replace)
    assert text in ("(1000, 1001)", "()")


def test_wrong_namespace(bpor):
    holder = Holder()
    holder.name = 1
    bpor.threads(lambda: dying.namespace_size(holder), lambda: dying.replace_namespace(holder))
