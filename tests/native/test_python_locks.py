"""The locks of a free-threaded interpreter as an instrumented module calls them, through its slots (GOT). A program of ours stands in for
the interpreter, with the same functions and the same structures, so that this runs wherever there is a compiler.

Nothing here looks at reference counts or at what the interpreter does by itself: tests/native/test_free_threaded.py does, with a real one.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from bpor.api import check
from bpor.report.finding import FindingKind
from bpor.report.result import Result
from tests.native.compiled import compiled

STAND_IN = Path(__file__).parent / "stand_in"
pytestmark = pytest.mark.needs("gcc")


@pytest.fixture
def interpreter(tmp_path: Path) -> Path:
    """By its name: what is no Python is a program like any other."""
    path = tmp_path / "python3"
    path.symlink_to(compiled(STAND_IN / "interpreter.c", ["-rdynamic"]))
    return path


def explore(interpreter: Path, first: str, second: str) -> Result:
    module = compiled(STAND_IN / "module.c", ["-shared", "-fPIC"], instrumented=True)
    return check([str(interpreter), str(module), first, second], bound="none")


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("in_section", "in_section"),
        ("in_both", "in_both"),
        ("in_both", "in_section"),
        ("in_both_the_same", "in_section"),
        ("under_mutex", "under_mutex"),
        ("under_called_mutex", "under_mutex"),
        ("section_then_mutex", "mutex_then_section"),
        ("inside_another", "in_both"),
        ("before_a_rest", "in_section"),
        ("after_another", "one_after_another"),  # the outer section, suspended, is held by the other thread when the inner one ends
    ],
)
def test_what_a_lock_guards_is_no_race_and_nobody_waits_for_ever(interpreter: Path, first: str, second: str) -> None:
    result = explore(interpreter, first, second)
    assert result.exit_code == 0, result.verdict.statement
    assert "the interpreter has no GIL" in result.verdict.statement
    assert "data races" not in result.verdict.statement
    assert result.search is not None and result.search.executions > 1


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("unguarded", "in_section"),
        ("under_mutex", "in_section"),
        ("around_another", "inside_another"),  # the inner section is taken: the outer one is suspended while its thread waits
        ("around_a_rest", "in_section"),  # Py_BEGIN_ALLOW_THREADS suspends a section
    ],
)
def test_an_addition_is_lost_where_no_lock_is_held_all_the_time(interpreter: Path, first: str, second: str) -> None:
    result = explore(interpreter, first, second)
    assert [finding.kind for finding in result.findings] == [FindingKind.ASSERTION], result.verdict.statement


def test_mutexes_taken_in_both_orders_are_a_deadlock_that_names_who_holds_what(interpreter: Path) -> None:
    (finding,) = explore(interpreter, "one_way", "other_way").findings
    assert finding.kind is FindingKind.DEADLOCK
    assert "holds `first` and waits for `second`" in finding.message
