"""What fixtures share with every execution is as they left it; run by tests/native/test_pytest_plugin.py."""

import mmap
import multiprocessing
import os
import tempfile

import pytest

pytestmark = pytest.mark.bpor(bound="preemption:1")


@pytest.fixture(scope="module")
def page():
    with mmap.mmap(-1, 8) as memory:
        yield memory
        assert memory[0] == 0


@pytest.fixture
def nameless():
    with tempfile.TemporaryFile(buffering=0) as file:
        file.write(b"abc")
        yield file
        assert file.tell() == 3


@pytest.fixture
def named(tmp_path):
    (tmp_path / "log").write_bytes(b"begun ")
    with open(tmp_path / "log", "r+b", buffering=0) as file:
        yield file
        assert file.read() == b"begun "


@pytest.fixture(scope="module")
def number():
    return multiprocessing.RawValue("i", 7)


def increment(page):
    page[0] += 1


@pytest.mark.parametrize("again", [1, 2])
def test_shared_memory_is_as_the_fixture_made_it(bpor, page, again):
    assert page[0] == 0
    bpor.threads(lambda: increment(page), lambda: increment(page))
    assert page[0] == 2


def test_what_the_test_wrote_before_its_threads_is_there(bpor, page):
    page[0] = 5
    bpor.threads(lambda: increment(page), lambda: increment(page))
    assert page[0] == 7


def test_shared_memory_is_free_again_after_it(page):
    assert page[0] == 0


def test_a_file_without_a_name_has_its_contents_and_its_offset(bpor, nameless):
    nameless.write(b"d")
    bpor.threads(lambda: nameless.write(b"x"), lambda: nameless.write(b"y"))
    assert nameless.tell() == 6
    assert os.pread(nameless.fileno(), 9, 0) in (b"abcdxy", b"abcdyx")


def test_a_file_with_a_name_has_its_contents_and_its_offset(bpor, named, tmp_path):
    assert named.read() == b"begun "
    bpor.threads(lambda: named.write(b"x"), lambda: named.write(b"y"))
    assert (tmp_path / "log").read_bytes() in (b"begun xy", b"begun yx")


@pytest.mark.parametrize("again", [1, 2])
def test_a_number_of_multiprocessing(bpor, number, again):
    def add():
        number.value += 1

    bpor.threads(add, add)
    assert number.value == 9
