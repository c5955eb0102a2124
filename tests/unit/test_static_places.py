"""Static variables have names that do not depend on the order in which modules were loaded."""

from __future__ import annotations

import pytest

from bpor.extension import static_places

LOADED = ["", "/usr/lib/libc.so.6", "/one/pkg/_speedups.so", "/two/pkg/_speedups.so", "/odd/a,b.so"]


@pytest.fixture(autouse=True)
def loaded(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    paths = list(LOADED)
    monkeypatch.setattr(static_places, "_paths", lambda: paths)
    return paths


def test_a_variable_is_named_by_the_end_of_a_path_that_no_other_module_has() -> None:
    assert static_places.named(1 << 32 | 0xCE88) == "libc.so.6:ce88"
    assert static_places.named(3 << 32 | 0x10) == "two/pkg/_speedups.so:10"


def test_it_is_found_where_its_module_has_another_number(loaded: list[str]) -> None:
    name = static_places.named(3 << 32 | 0x10)
    loaded.insert(1, "/usr/lib/libm.so.6")
    assert name is not None and static_places.place_of(name) == 4 << 32 | 0x10


@pytest.mark.parametrize("place", [0x10, 4 << 32, 5 << 32, 1 << 58 | 1 << 32])
def test_the_program_a_path_that_a_replay_line_cannot_have_and_other_places_keep_their_numbers(place: int) -> None:
    assert static_places.named(place) is None


def test_what_is_not_loaded_is_not_found() -> None:
    assert static_places.place_of("libz.so.1:10") is None
