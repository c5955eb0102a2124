"""What functions of the interpreter find in their arguments, in two threads; run by tests/native/test_arguments.py."""

import contextlib

import arguments as module
import pytest

pytestmark = pytest.mark.bpor(gil="off", bound="preemption:1")


def whatever_comes(function):
    def run():
        with contextlib.suppress(Exception):
            function()

    return run


@pytest.mark.parametrize(
    "use",
    [
        "format_name",
        "build_name",
        "complain_of_name",
        "complain_by_name",
        "attribute_by_name",
        "decode_name",
        "lend_name",
    ],
)
def test_wrong_text(bpor, use):
    module.rename_to("sys")
    bpor.threads(whatever_comes(getattr(module, use)), lambda: module.rename_to("json"))


def test_right_text(bpor):
    module.rename_to("sys")
    assert bpor.threads(module.format_locked, lambda: module.rename_locked("json"))[0] in ("7: sys", "7: json")


@pytest.mark.parametrize("use", ["pack_kept", "build_kept", "format_kept", "call_with_kept", "call_by_array"])
def test_wrong_object(bpor, use):
    module.keep(f"text {len(use)}")
    bpor.threads(lambda: getattr(module, use)() and None, lambda: module.keep(None))


TEXT, TUPLE, DICT = "text {}".format, lambda number: (number,), lambda number: {f"key {number}": number}
USES = {"replace_letters": TEXT, "raise": TEXT, "end_slice": TEXT, "bind": TEXT, "parse": TUPLE, "give_keywords": DICT}


def used(bpor, use, made, keep):
    module.keep(made(1))
    others = [made(2)]
    bpor.threads(whatever_comes(getattr(module, use)), lambda: keep(others.pop()))


@pytest.mark.parametrize(("use", "made"), USES.items(), ids=USES)
def test_wrong_use(bpor, use, made):
    used(bpor, use, made, module.keep)


@pytest.mark.parametrize(("use", "made"), USES.items(), ids=USES)
def test_right_use(bpor, use, made):
    used(bpor, f"{use}_owned", made, module.keep_locked)


def test_wrong_slice(bpor):
    assert bpor.threads(lambda: module.slice_of(slice(1, 2, 3)), lambda: module.slice_of(slice(4, 5, 6))) == ((1, 2, 3), (4, 5, 6))


def test_right_slice(bpor):
    assert bpor.threads(lambda: module.local_slice_of(slice(1, 2, 3)), lambda: module.local_slice_of(slice(4, 5))) == ((1, 2, 3), (4, 5, 1))


def test_wrong_number(bpor):
    assert bpor.threads(lambda: module.number_of(7), lambda: module.number_of(1 << 80)) == (7, 0)


def test_wrong_letters(bpor):
    assert bpor.threads(lambda: module.letters_of("abc"), lambda: module.letters_of("xyz")) == ("abc", "xyz")


def test_wrong_printed(bpor):
    assert bpor.threads(lambda: module.text_of(1), lambda: module.text_of(2)) == ("1", "2")


def test_wrong_bits(bpor):
    bpor.threads(module.set_one, module.set_other)
    assert module.count_bits() == 2


def test_right_bit(bpor):
    bpor.threads(module.set_one, module.set_one)
    assert module.count_bits() == 1


def test_wrong_pop(bpor):
    texts = ["one"]
    assert sorted(map(str, bpor.threads(lambda: module.pop_if_any(texts), lambda: module.pop_if_any(texts)))) == ["None", "one"]
