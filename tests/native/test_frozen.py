"""Without a key of memory protection, pages of a search that do not change are protected one by one instead of being summed up."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from bpor.search.options import SearchOptions
from bpor.target.options import TargetOptions
from tests.native.compiled import compiled
from tests.native.engines import difference, run
from tests.native.test_engine_damage import WITHOUT_KEYS

pytestmark = pytest.mark.needs("gcc")

LONG = Path(__file__).with_name("long_stack.c")
BPOR = [sys.executable, "-m", "bpor", "-q", "--bound", "none"]


def long(passes: int, objects: int = 0) -> str:
    return str(compiled(LONG, [f"-DPASSES={passes}", f"-DOBJECTS={objects}"], instrumented=objects > 0))


@pytest.mark.parametrize("reset", ["rollback", "fork"])
def test_a_write_to_a_page_that_does_not_change_is_noticed(reset: str) -> None:
    """In the first execution that comes behind it; before, the program finds no such page and changes nothing."""
    command = [*WITHOUT_KEYS, *BPOR, "--no-known-steps", "--reset", reset, long(4)]
    hit = subprocess.run([*command, "scribble"], capture_output=True, text=True, check=False)
    assert hit.returncode == 99 and "the program wrote into memory that belongs to the search" in hit.stderr, hit
    left_alone = subprocess.run(command, capture_output=True, text=True, check=False)
    assert left_alone.returncode == 0, left_alone


@pytest.mark.parametrize("search", [None, "dfs", "best-first", "optimal"])
def test_a_search_that_goes_back_far_in_its_stack_is_the_same(search: str | None) -> None:
    """Ways of 1,400 steps that meet at every one of the last 400: what was protected is written again and again."""
    options = SearchOptions(max_steps=3_000, known_steps=False)
    argv, target = [long(100)], TargetOptions(watchdog=5)
    one, other = (run(engine, argv, "none", 80, options, target, search) for engine in ("python", "native"))
    assert difference(one, other) == ""


@pytest.mark.parametrize("search", [None, "best-first"])
def test_objects_may_lie_in_part_on_a_page_that_does_not_change(search: str | None) -> None:
    options = SearchOptions(max_steps=3_000, known_steps=False)
    argv, target = [long(2, objects=90)], TargetOptions(watchdog=5)
    one, other = (run(engine, argv, "none", 120, options, target, search) for engine in ("python", "native"))
    assert difference(one, other) == ""
