"""A use of a reference beside what drops it, in two threads; run by tests/native/test_references.py."""

import os
import sys

import pytest
import references

DROPPED = [
    "item-replace_item",
    "length-replace_item",
    "clear_item-clear_item",
    "item_later-replace_item",
    "lent_later-evict",
    "cached-evict",
    "next_value-evict",
    "listed-replace_listed",
    "listed_by_macro-replace_listed",
    "of_tuple-replace_tuple",
    "number-replace_number",
    "referent-drop_referent",
    "atomic-replace_atomic",
    "typed-replace_typed",
    "walk_unlocked-clear_chain",
]
RIGHT = [
    "locked-replace_locked",
    "replace_locked-replace_locked",
    "owned-evict",
    "traffic-traffic",
    "no_traffic-no_traffic",
    "peek_chain-clear_chain",
    "clear_chain-clear_chain",
]


def both(bpor, box, pair):
    bpor.threads(*(getattr(box, name) for name in pair.split("-")))


@pytest.mark.bpor(gil="off", bound="preemption:1")
@pytest.mark.parametrize("pair", DROPPED)
def test_dropped(bpor, pair):
    both(bpor, references.Box(), pair)


@pytest.mark.bpor(gil="real", bound="preemption:1")
@pytest.mark.parametrize("pair", ["item_later-replace_item", "lent_later-evict"])
def test_dropped_while_the_gil_is_released(bpor, pair):
    both(bpor, references.Box(), pair)


@pytest.mark.bpor(gil="real", bound="preemption:1")
def test_dropped_by_python_and_kept_for_the_next_of_its_type(bpor):
    box, lists = references.Box(), [[1, 2]]
    bpor.threads(lambda: box.first_later(lists), lambda: lists.__setitem__(0, None))


@pytest.mark.bpor(gil="off", bound="preemption:1")
def test_dropped_where_the_interpreter_frees_and_grows_as_it_likes(bpor):
    """By addresses, and by what its process did before: so much that no two processes do the same."""
    much = os.getpid() % 61
    texts = [f"text {number}" for number in range(61)]
    del texts[:much]
    tables = [bytearray(3000) for _ in range(much)]
    boxes = [references.Box() for _ in range(70)]
    both(bpor, boxes[-1], "item-replace_item")
    del texts, tables


@pytest.mark.bpor(gil="off")
@pytest.mark.parametrize("pair", RIGHT)
def test_right(bpor, pair):
    both(bpor, references.Box(), pair)


@pytest.mark.bpor(gil="off", bound="preemption:1")
@pytest.mark.parametrize("pair", ["append_once-append_once", "concat_once-concat_once", "append_once-concat_once"])
def test_once(bpor, pair):
    box = references.Box()
    both(bpor, box, pair)
    assert box.size() == 2


@pytest.mark.bpor(gil="off", bound="preemption:1")
def test_counted_once(bpor):
    box = references.Box()
    both(bpor, box, "count_typed-count_typed")
    assert box.counted() == 2


MADE_AT_IMPORT = references.Box()


@pytest.fixture(scope="session")
def made_for_all():
    return references.Box()


@pytest.fixture
def made():
    return references.Box()


@pytest.mark.bpor(gil="off", bound="preemption:1")
@pytest.mark.parametrize("pair", ["of_tuple-replace_tuple", "cached-evict"])
@pytest.mark.parametrize("where", ["import", "session", "function"])
def test_made_before(bpor, where, pair, made_for_all, made):
    both(bpor, {"import": MADE_AT_IMPORT, "session": made_for_all, "function": made}[where], pair)


CROWDS = [type(f"Crowd{number}", (), {}) for number in range(0, 28, 2)]
for number, crowd in enumerate(CROWDS):
    [crowd() for _ in range(2 * number)]


@pytest.fixture
def one_more_of_each():
    """The interpreter gives an instance the less room for its attributes the more there were before."""
    return [crowd() for crowd in CROWDS]


@pytest.mark.bpor(gil="off", bound="preemption:1")
@pytest.mark.parametrize("number", range(2))
def test_as_before(bpor, one_more_of_each, number):
    crowds = [crowd() for crowd in CROWDS]
    both(bpor, references.Box(), "item-replace_item")
    del crowds


@pytest.mark.bpor(gil="off")
def test_unseen(bpor):
    both(bpor, references.Box(), "count_unseen-count_unseen")
    assert sys.unseen == 2
