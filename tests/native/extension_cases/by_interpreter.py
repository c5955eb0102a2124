"""What the interpreter does for an extension, in two threads; run by tests/native/test_by_interpreter.py."""

import by_interpreter as module
import pytest

off = pytest.mark.bpor(gil="off", bound="preemption:1")


def fresh(number):
    return f"text {number}"


@off
def test_wrong_parsed_number(bpor):
    assert bpor.threads(lambda: module.parse_number(1), lambda: module.parse_number(2)) == (1, 2)


@off
def test_wrong_parsed_text(bpor):
    one, two = ("a", 1.0), ("bb", 2.0)
    assert bpor.threads(lambda: module.parse_text(*one), lambda: module.parse_text(*two)) == (("a", 1, 1.0), ("bb", 2, 2.0))


@off
def test_wrong_parsed_many(bpor):
    same = (0, 0, 0, (None,))
    assert bpor.threads(lambda: module.parse_many(*same, 1, "a"), lambda: module.parse_many(*same, 2, "b")) == ((1, "a"), (2, "b"))


@off
def test_wrong_parsed_keyword(bpor):
    assert bpor.threads(lambda: module.parse_keyword(number=1), lambda: module.parse_keyword(number=2)) == (1, 2)


@off
def test_wrong_unpacked(bpor):
    assert bpor.threads(lambda: module.unpack("a"), lambda: module.unpack("b")) == ("a", "b")


@off
def test_right_parsed(bpor):
    assert bpor.threads(lambda: module.parse_local(1), lambda: module.parse_local(2)) == (1, 2)


@off
def test_wrong_grown(bpor):
    module.begin_text()
    bpor.threads(module.get_text, module.append_text)


@off
def test_wrong_context(bpor):
    module.make_capsule()
    bpor.threads(module.replace_context, module.replace_context)


@off
def test_right_context(bpor):
    module.make_capsule()
    bpor.threads(module.replace_context_locked, module.replace_context_locked)


@off
def test_wrong_element(bpor):
    texts = {fresh(1)}
    bpor.threads(lambda: module.any_of(texts), texts.clear)


@off
def test_wrong_last(bpor):
    """What is popped stays where it was in the list's memory."""
    texts = [fresh(1), fresh(2)]
    bpor.threads(lambda: module.last_of(texts), lambda: texts.pop() and None)


@off
def test_right_last(bpor):
    texts = [fresh(1), fresh(2)]
    bpor.threads(lambda: module.last_of_copy(texts), lambda: texts.pop() and None)


@off
def test_wrong_view(bpor):
    module.take_view(bytearray(b"abcd"))
    bpor.threads(module.first_of_view, module.give_view_back)
