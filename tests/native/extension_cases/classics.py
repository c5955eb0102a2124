"""Classic mistakes of extensions without the GIL, and the same done right; run by tests/native/test_references.py."""

import contextlib
import sys
import types
import weakref

import classics
import pytest
from classics import Box

off = pytest.mark.bpor(gil="off", bound="preemption:1")


@off
def test_wrong_state_cache(bpor):
    a, b = bpor.threads(classics.state_cache, classics.state_cache)
    assert a is b


@off
def test_wrong_hit_kind(bpor):
    classics.make_kind()
    bpor.threads(classics.hit_kind, classics.hit_kind)
    assert classics.hit_kind() == 4


@off
def test_wrong_lazy_flag(bpor):
    bpor.threads(classics.lazy_flag, classics.lazy_flag)


@off
def test_right_lazy_once(bpor):
    bpor.threads(classics.lazy_once, classics.lazy_once)


@off
def test_wrong_add_module(bpor):
    classics.add_module()
    bpor.threads(classics.add_module, classics.drop_module)


@off
def test_wrong_import_module(bpor):
    classics.add_module()
    bpor.threads(classics.import_module, classics.drop_module)


@off
def test_wrong_sys_object(bpor):
    sys.of_mine = ["x"]
    bpor.threads(classics.sys_object, classics.drop_sys_object)


@off
def test_wrong_first_macro_beside_python(bpor):
    items = [f"item {i}" for i in range(3)]
    bpor.threads(lambda: classics.first_macro(items), lambda: items.clear())


@off
def test_right_first_owned_beside_python(bpor):
    items = [f"item {i}" for i in range(3)]
    bpor.threads(lambda: classics.first_owned(items), lambda: items.clear())


@off
def test_wrong_dict_sum_beside_python(bpor):
    items = {i: f"item {i}" for i in range(3)}
    bpor.threads(lambda: classics.dict_sum(items), lambda: items.clear())


@off
def test_wrong_buffer(bpor):
    box = Box()
    bpor.threads(box.first_byte, box.grow)


@off
def test_wrong_export(bpor):
    box, view = Box(), Box()
    bpor.threads(lambda: box.held_buffer(view), view.grow)


@off
def test_right_export(bpor):
    box, data = Box(), bytearray(b"abc")

    def grow():
        with contextlib.suppress(BufferError):
            data.extend(b"x" * 100)

    bpor.threads(lambda: box.held_buffer(data), grow)


@off
def test_wrong_weak(bpor):
    box = Box()
    bpor.threads(box.from_weak, box.drop_target)


@off
def test_wrong_capsule(bpor):
    box = Box()
    bpor.threads(box.capsule_read, box.capsule_replace)


@off
def test_wrong_static_text(bpor):
    a, b = bpor.threads(lambda: classics.format_static(1), lambda: classics.format_static(2))
    assert (a, b) == ("number 1", "number 2")


@off
def test_right_static_text(bpor):
    a, b = bpor.threads(lambda: classics.format_local(1), lambda: classics.format_local(2))
    assert (a, b) == ("number 1", "number 2")


@off
def test_wrong_static_word(bpor):
    a, b = bpor.threads(lambda: classics.copy_static(1), lambda: classics.copy_static(2))
    assert (a, b) == ("aaaaaaa", "bbbbbbb")


@off
def test_wrong_alone_seen(bpor):
    box = Box()

    def look():
        got = box.bytes_of_locked()
        first = got[0]
        return first, got

    (first, got), _ = bpor.threads(look, box.change_if_alone)
    assert first == got[0]


@off
def test_right_alone(bpor):
    box = Box()

    def look():
        got = box.bytes_of_locked()
        first = got[0]
        return first, got

    (first, got), _ = bpor.threads(look, box.change_if_alone_locked)
    assert first == got[0]


@off
def test_wrong_name_first(bpor):
    box = Box()
    bpor.threads(box.name_first, box.rename_it)


@off
def test_wrong_fire(bpor):
    box = Box()
    box.set_callback(lambda: 1)
    bpor.threads(box.fire, box.unset_callback)


@off
def test_right_fire(bpor):
    box = Box()
    box.set_callback(lambda: 1)
    bpor.threads(box.fire_owned, box.unset_callback)


@off
def test_wrong_list_grown(bpor):
    box = Box()
    bpor.threads(box.list_first, box.list_append)


@off
def test_wrong_member(bpor):
    box = Box()
    box.item = "item " * len(box.__class__.__name__)
    bpor.threads(box.get_item, lambda: setattr(box, "item", None))


@off
def test_wrong_member_length(bpor):
    box = Box()
    box.item = "item " * len(box.__class__.__name__)
    bpor.threads(box.item_length, lambda: setattr(box, "item", "abc"))


@off
def test_wrong_member_dict(bpor):
    box = Box()
    box.item = {}
    bpor.threads(box.get_item, lambda: setattr(box, "item", None))


@off
def test_wrong_listed(bpor):
    box = Box()
    box.list = ["item " * len(box.__class__.__name__)]

    def put():
        box.list[0] = None

    bpor.threads(box.list_first, put)


@off
def test_wrong_weak_member(bpor):
    box = Box()
    box.item = set()
    box.weak = weakref.ref(box.item)
    bpor.threads(box.from_weak, lambda: setattr(box, "item", None))


@off
def test_wrong_cell(bpor):
    box = Box()
    box.cell = types.CellType("item " * len(box.__class__.__name__))

    def put():
        box.cell.cell_contents = None

    bpor.threads(box.from_cell, put)


@off
def test_right_varargs(bpor):
    bpor.threads(lambda: classics.first_of([1], "b"), lambda: classics.first_of([2], "c"))


@off
def test_right_constant(bpor):
    box = Box()
    box.item = "item " * len(box.__class__.__name__)
    bpor.threads(box.get_item, box.get_item)
