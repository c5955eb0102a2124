"""Which files of a worker are those of the client, and which make another program of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from bpor.cluster.asked import Asked, Comparing, Telling, found_at
from bpor.cluster.parcel import Item, Parcel, name_of
from bpor.target.elf import Elf
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
def root(tmp_path: Path, here: Path) -> Path:
    """What stands for the client's root on a worker."""
    (tmp_path / "there" / name_of(str(here)) / "data").mkdir(parents=True)
    return tmp_path / "there"


@pytest.fixture
def there(root: Path, here: Path) -> Path:
    """A worker's working directory."""
    return root / name_of(str(here))


def told(root: Path, *signed: str) -> tuple[Asked, ...]:
    return Telling(str(root), []).new(f"{one[0]}{root / name_of('.') / one[1:]}" for one in signed)


def comparing(*sent: str, elf: Elf | None = None) -> Comparing:
    items = tuple(Item(name_of(name), "", 0, 0o644, 0) for name in sent)
    return Comparing(Parcel(items, (name_of("."),), (), (), (), ()), elf)


def other(name: str, remedy: str = "") -> str:
    return f"the program asks for {name}, which is another one there: {remedy or f'--send-files {name}'}"


EVERYWHERE = "it has to be the same on every worker"


def test_a_file_that_was_not_sent_is_named(root: Path, there: Path) -> None:
    assert comparing().other(told(root, "=settings")) == other("settings")
    (there / "settings").write_text("n = 1")
    assert not comparing("settings").other(told(root, "=settings"))


def test_a_file_that_neither_machine_has_is_the_same_on_both(root: Path) -> None:
    assert not comparing().other(told(root, "=nothing", "=no/thing"))


def test_a_file_beside_the_program_is_not_taken_for_one_in_the_working_directory(root: Path, here: Path) -> None:
    """Whoever calls it build/test from elsewhere has nothing there, and the program finds what lies beside it."""
    (here.parent / "build").mkdir()
    (here.parent / "build" / "settings").write_text("n = 1")
    found = f"{here.parent}/build/settings"
    assert comparing().other(told(root, "=../build/settings")) == other(found)
    assert not comparing().other(told(root, "=../build/nothing"))


def test_what_the_program_makes_itself_is_its_own(root: Path, here: Path, there: Path) -> None:
    asked = told(root, "+log", "=log")
    (there / "log").write_text("made")
    assert not comparing().other([*asked, *told(root, "=log")])
    (here / "old").write_text("left by an earlier run")
    assert not comparing().other(told(root, "+old")), "it is written anew"
    assert comparing().other(told(root, "+old", "=old")) == other("old"), "it is written on"


def test_of_a_name_that_is_made_or_removed_only_whether_it_was_there_is_compared(root: Path, here: Path) -> None:
    (here / "lock").write_text("of an earlier run")
    assert comparing().other(told(root, "-lock")) == other("lock"), "on the client it could not be made"
    assert not comparing("lock").other(told(root, "!lock", "-lock")), "it was sent, and the program removed it"
    assert not comparing().other(told(root, "-new", "!new", "=new/inside")), "the program made it"
    assert comparing().other([Asked("!", "/never/there", "")]) == other("/never/there", EVERYWHERE), "a worker's own"


def test_a_directory_that_is_listed_has_the_same_names_and_one_that_is_only_there_need_not(root: Path, there: Path) -> None:
    assert not comparing().other(told(root, "=data"))
    assert comparing().other(told(root, "/data")) == other("data")
    (there / "data" / "words").write_text("one two")
    assert not comparing("data/words").other(told(root, "/data", "=data/words", "=./data/../data/words"))


def test_of_a_pattern_the_names_are_compared_that_match(root: Path, here: Path, there: Path) -> None:
    assert comparing().other(told(root, "*data/w*")) == "the program asks for data/w*, which is another one there: --send-files data"
    assert comparing().other(told(root, "*data/**")), "all that lies below"
    assert not comparing().other(told(root, "*data/n*", "*nowhere/*", "*data/words/*"))
    (there / "data" / "words").write_text("one two")
    assert not comparing("data/words").other(told(root, "*data/w*", "*data/**", "*d*/*", "*../here/data/[vwx]*"))
    (here / "data" / ".hidden").touch()
    assert not comparing("data/words").other(told(root, "*data/*"))
    assert comparing("data/words").other(told(root, "*data/**"))


def test_a_file_outside_of_what_was_sent_has_to_be_the_same(tmp_path: Path, here: Path) -> None:
    common = tmp_path / "common"
    common.write_text("new")
    assert not comparing().other([Asked("=", str(common), found_at(str(common), "="))])
    assert comparing().other([Asked("=", str(common), "0123")]) == other(str(common), EVERYWHERE)
    gone = str(tmp_path / "gone")
    assert comparing().other([Asked("=", gone, "0123")]) == other(gone, EVERYWHERE)
    assert not comparing().other([Asked("+", str(tmp_path), "directory"), Asked("=", gone, "0123")]), "in a directory that it made"


def test_a_library_is_looked_for_as_the_loader_does(here: Path) -> None:
    program = inspect_program("/bin/true").elf
    assert found_at("libm.so.6", "?", program) and not found_at("libnever.so", "?", program)
    assert comparing(elf=program).other([Asked("?", "libm.so.6", "")]).endswith("/libm.so.6"), "where it is here"
    assert not comparing(elf=program).other([Asked("?", "libnever.so", "")])


def test_each_name_is_told_once_and_nothing_of_the_tool_itself(root: Path) -> None:
    telling = Telling(str(root), [str(root / "ours")])
    assert [one.name for one in telling.new([f"={root}/a", f"={root}/ours/b", f"={root}"])] == [".", "a"]
    assert not telling.new([f"={root}/a"])


def test_names_that_did_not_fit_are_remembered() -> None:
    names = comparing()
    assert names.all and not names.other([], more=True) and not names.all
