"""An object that a thread gives away and uses on, or a pointer that a lock guards and whose object it does not; run by
tests/native/test_references.py."""

import published
import pytest


class Holder:
    pass


published.set_holder(Holder)

WRONG = [
    "publish-clear",
    "publish-publish",
    "assure-clear",
    "publish_atomic-clear_atomic",
    "publish_cas-clear_atomic",
    "publish_in_dict-clear_dict",
    "publish_in_dict_and_return-clear_dict",
    "append-clear_list",
    "steal-clear_list",
    "steal_by_macro-clear_list",
    "set_attribute-clear_attribute",
    "get_attribute-clear_attribute",
    "late-clear_locked",
    "late_use-clear_locked",
    "publish_late-clear_locked",
    "publish_late-publish_late",
    "twice-clear_locked",
    "snapshot-clear_pair",
    "snapshot_late-clear_pair",
]
RIGHT = [
    "publish_owned-publish_owned",
    "publish_atomic_owned-clear_atomic",
    "publish_in_dict_owned-clear_dict",
    "append_owned-clear_list",
    "get_attribute_owned-clear_attribute",
    "publish_locked-clear_locked",
    "publish_locked-publish_locked",
    "locked-clear_locked",
    "locked-publish_locked",
    "traffic-clear_locked",
    "no_traffic-clear_locked",
]


def both(bpor, slot, pair):
    bpor.threads(*(getattr(slot, name) for name in pair.split("-")))


@pytest.mark.bpor(gil="off", bound="preemption:1")
@pytest.mark.parametrize("pair", WRONG)
def test_wrong(bpor, pair):
    both(bpor, published.Slot(), pair)


@pytest.mark.bpor(gil="off")
@pytest.mark.parametrize("pair", RIGHT)
def test_right(bpor, pair):
    both(bpor, published.Slot(), pair)
