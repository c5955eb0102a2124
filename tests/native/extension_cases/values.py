"""Memory that the interpreter or libc changes, in two threads; run by tests/native/test_by_interpreter.py."""

import array

import pytest
import values
from values import Box

off = pytest.mark.bpor(gil="off", bound="preemption:1")


@off
@pytest.mark.parametrize("what", ["number", "flag", "fraction"])
def test_wrong(bpor, what):
    box = Box()
    bpor.threads(getattr(box, f"add_to_{what}"), lambda: setattr(box, what, 100))
    assert getattr(box, what) in (100, 101)


@off
def test_right_number(bpor):
    """Python's code only reads it."""
    box = Box()
    bpor.threads(box.number_of, lambda: box.number)


@off
def test_right_neighbour(bpor):
    """Two threads use one word, but not the same part of it."""
    box = Box()
    bpor.threads(box.add_to_flag, box.other_of)
    assert box.flag == 1


@off
@pytest.mark.parametrize("kind", [bytearray, lambda given: array.array("b", given)], ids=["bytearray", "array"])
def test_wrong_bytes(bpor, kind):
    data = kind(b"\0" * 4)

    def put():
        data[0] = 100

    bpor.threads(lambda: values.add_to_first(data), put)
    assert data[0] in (100, 101)


@off
def test_wrong_appended(bpor):
    box = Box()
    bpor.threads(box.append, box.append)
    assert box.text_of() == "text 1000xx"


@off
def test_right_appended(bpor):
    box = Box()
    bpor.threads(box.append_locked, box.append_locked)
    assert box.text_of() == "text 1000xx"


@off
def test_right_appended_own(bpor):
    assert bpor.threads(values.append_own, values.append_own) == ("text 1000x", "text 1000x")


@off
def test_wrong_resized(bpor):
    box = Box()
    bpor.threads(box.resize, box.resize)


@off
def test_wrong_closed(bpor):
    box = Box()
    bpor.threads(box.write_line, box.close_stream)


@off
def test_right_closed(bpor):
    box = Box()
    bpor.threads(box.write_locked, box.close_locked)


@off
def test_wrong_unmapped(bpor):
    box = Box()
    bpor.threads(box.read_page, box.unmap)


@off
@pytest.mark.parametrize("what", ["all", "had"])
def test_listed(bpor, what):
    box = Box()
    box.number = 3
    bpor.threads(getattr(box, f"list_{what}"), box.add_to_number)
