"""A program that writes over the search beside it is told so; it never passes."""

from __future__ import annotations

from pathlib import Path

import pytest

from bpor.api import check
from bpor.errors import Damaged
from bpor.protocol._wire import ffi  # type: ignore[import-not-found,unused-ignore]
from tests.native.compiled import compiled

SCRIBBLE = Path(__file__).with_name("scribble.c")


def offset(*path: str | int) -> str:
    return str(ffi.offsetof("struct bpor_search", *path))


@pytest.mark.parametrize("reset", ["rollback", "fork"])
@pytest.mark.parametrize(
    "where",
    [
        offset("exploring"),
        offset("answer", "tree"),
        offset("total", "executions"),
        offset("tree", 0, "finished"),
        offset("tree", 0, "schedule"),
        offset("log"),
        offset("stack"),
    ],
)
def test_a_program_that_writes_over_the_search_is_never_believed(where: str, reset: str) -> None:
    with pytest.raises(Damaged):
        check([str(compiled(SCRIBBLE)), where, "8"], engine="native", bound="none", reset=reset)


def test_the_same_program_passes_when_it_leaves_the_search_alone() -> None:
    assert check([str(compiled(SCRIBBLE)), "0", "0"], engine="native", bound="none").verdict.kind.value == "pass"
