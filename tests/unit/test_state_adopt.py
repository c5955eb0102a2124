"""A state directory from a cache: taken over with its saved searches and without anything that names a program."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from bpor.errors import UsageError
from bpor.store.directory import StateDirectory


@pytest.fixture
def copied(tmp_path: Path) -> StateDirectory:
    """As an archive brings it: everything there, made elsewhere."""
    state = StateDirectory(tmp_path / ".bpor")
    test = state.test(["./bank"])
    for name in ("search.sqlite", "result.json", "finding-1.json"):
        (test / name).write_text(name)
    state.set_last(test)
    (state.path / "made-here.json").write_text('{"device": 1, "inode": 1}')
    return state


def test_without_it_a_copy_is_not_trusted(copied: StateDirectory) -> None:
    with pytest.raises(UsageError, match="was not made here"):
        copied.require_own()


def test_only_saved_searches_stay(copied: StateDirectory) -> None:
    (copied.path / "other").mkdir()
    os.symlink("/etc", copied.path / "linked-00000000")
    copied.adopt()
    copied.require_own()
    (test,) = copied.tests()
    assert [path.name for path in test.iterdir()] == ["search.sqlite"]
    assert {path.name for path in copied.path.iterdir()} == {test.name, "made-here.json", ".gitignore"}
    with pytest.raises(UsageError, match="holds no last run"):
        copied.last()


def test_a_search_that_is_a_link_does_not_stay(copied: StateDirectory, tmp_path: Path) -> None:
    (test,) = (copied.path).glob("bank-*")
    (test / "search.sqlite").unlink()
    (tmp_path / "precious").write_text("x")
    os.symlink(tmp_path / "precious", test / "search.sqlite")
    copied.adopt()
    assert list(test.iterdir()) == []
    assert (tmp_path / "precious").read_text() == "x"


def test_ones_own_directory_keeps_everything(tmp_path: Path) -> None:
    state = StateDirectory(tmp_path / ".bpor")
    test = state.test(["./bank"])
    (test / "result.json").write_text("x")
    state.adopt()
    assert (test / "result.json").exists()
    StateDirectory(tmp_path / "none").adopt()
