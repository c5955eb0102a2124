"""The environment of a program under control."""

from __future__ import annotations

from bpor.target.environment import controlled_environment


def test_a_panic_of_rusts_prints_no_frames() -> None:
    """It would read all debug information in each execution that panics, by patched code: one took twenty seconds."""
    assert controlled_environment(None, {"RUST_BACKTRACE": "full", "HOME": "/"})["RUST_BACKTRACE"] == "0"


def test_nothing_is_added_for_a_runtime_that_was_not_asked_for_anything() -> None:
    made = controlled_environment(None, {"HOME": "/"})
    assert "RUST_BACKTRACE" not in made and made["HOME"] == "/"
