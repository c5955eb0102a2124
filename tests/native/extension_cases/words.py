import pytest
import words

pytestmark = pytest.mark.bpor(gil="off", bound="preemption:1")


def test_append(bpor):
    bpor.threads(lambda: words.append("a"), lambda: words.append("b"))
    assert sorted(words.all()) == ["a", "b"]


def test_push(bpor):
    bpor.threads(lambda: words.push(1), lambda: words.push(2))
    assert words.count() == 2


def test_insert_beside_find(bpor):
    _, found = bpor.threads(lambda: words.insert(1), lambda: words.has(1))
    assert not found


def test_apart(bpor):
    bpor.threads(lambda: words.append("a"), lambda: words.push(1))
    assert words.all() == "a" and words.count() == 1


def test_thread_of_its_own(bpor):
    assert bpor.threads(lambda: words.append_in_thread("a"), lambda: words.push(1)) == (True, None)
    assert words.all() == "a"
