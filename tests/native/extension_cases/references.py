"""A use of a reference beside what drops it, in two threads; run by tests/native/test_references.py."""

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
]
RIGHT = ["locked-replace_locked", "replace_locked-replace_locked", "owned-evict", "traffic-traffic", "no_traffic-no_traffic"]


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
