"""Which files of a worker are those of the client, and which make another program of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from bpor.cluster.asked import Asked, Comparing, Telling, found_at
from bpor.target.program import inspect_program


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The client's working directory."""
    place = tmp_path / "here"
    (place / "data").mkdir(parents=True)
    (place / "data" / "words").write_text("one two")
    (place / "settings").write_text("n = 1")
    monkeypatch.chdir(place)
    return place


@pytest.fixture
def there(tmp_path: Path) -> Path:
    """A worker's."""
    place = tmp_path / "there"
    (place / "data").mkdir(parents=True)
    return place


def told(there: Path, *signed: str) -> tuple[Asked, ...]:
    return Telling(str(there), []).new(f"{one[0]}{there / one[1:]}" for one in signed)


def test_a_file_that_was_not_sent_is_named(here: Path, there: Path) -> None:
    assert Comparing([]).other(told(there, "=settings")) == "settings"
    (there / "settings").write_text("n = 1")
    assert not Comparing(["settings"]).other(told(there, "=settings"))


def test_a_file_that_neither_machine_has_is_the_same_on_both(here: Path, there: Path) -> None:
    assert not Comparing([]).other(told(there, "=nothing", "=no/thing"))


def test_what_the_program_makes_itself_is_its_own(here: Path, there: Path) -> None:
    asked = told(there, "+log", "=log")
    (there / "log").write_text("made")
    assert not Comparing([]).other([*asked, *told(there, "=log")])
    (here / "old").write_text("left by an earlier run")
    assert not Comparing([]).other(told(there, "+old")), "it is written anew"
    assert Comparing([]).other(told(there, "+old", "=old")) == "old", "it is written on"


def test_a_directory_that_is_listed_has_the_same_names_and_one_that_is_only_there_need_not(here: Path, there: Path) -> None:
    assert not Comparing([]).other(told(there, "=data"))
    assert Comparing([]).other(told(there, "/data")) == "data"
    (there / "data" / "words").write_text("one two")
    assert not Comparing(["data/words"]).other(told(there, "/data", "=data/words", "=./data/../data/words"))


def test_a_file_outside_of_the_working_directory_has_to_be_the_same(tmp_path: Path, here: Path) -> None:
    common = tmp_path / "common"
    common.write_text("new")
    assert not Comparing([]).other([Asked("=", str(common), found_at(str(common), "="))])
    assert Comparing([]).other([Asked("=", str(common), "0123")]) == str(common)
    gone = str(tmp_path / "gone")
    assert Comparing([]).other([Asked("=", gone, "0123")]) == gone
    assert not Comparing([]).other([Asked("+", str(tmp_path), "directory"), Asked("=", gone, "0123")]), "in a directory that it made"


def test_a_library_is_looked_for_as_the_loader_does(here: Path) -> None:
    program = inspect_program("/bin/true").elf
    assert found_at("libm.so.6", "?", program) and not found_at("libnever.so", "?", program)
    assert Comparing([], program).other([Asked("?", "libm.so.6", "")]).endswith("/libm.so.6"), "where it is here"
    assert not Comparing([], program).other([Asked("?", "libnever.so", "")])


def test_each_name_is_told_once_and_nothing_of_the_tool_itself(there: Path) -> None:
    telling = Telling(str(there), [str(there / "ours")])
    assert [one.name for one in telling.new([f"={there}/a", f"={there}/ours/b", f"={there}"])] == [".", "a"]
    assert not telling.new([f"={there}/a"])


def test_names_that_did_not_fit_are_remembered() -> None:
    comparing = Comparing([])
    assert comparing.all and not comparing.other([], more=True) and not comparing.all
