"""Free-threaded interpreters: what an extension does with their locks is seen, what they do themselves is not in the way.

One test per interpreter that is found (tests/native/free_threaded.py), and none at all where none is found: nothing is skipped.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from bpor.api import check, replay
from bpor.model.plan import Plan
from bpor.model.trace import Trace
from bpor.protocol.ops import Op
from bpor.report.finding import FindingKind
from bpor.report.result import Result
from bpor.report.verdict import VerdictKind
from bpor.search.explorer import Explorer
from tests.native.free_threaded import interpreters, project

__test__ = bool(interpreters())
pytestmark = [pytest.mark.needs("gcc"), pytest.mark.parametrize("python", interpreters())]
SCRIPT = """\
import sys, threading
from locked import Counter

a, b, d, lock, other = Counter(), Counter(), {}, threading.Lock(), threading.RLock()

def inside(outer, inner):
    with outer, inner:
        pass

def start(text):
    thread = threading.Thread(target=lambda: eval(text))
    thread.start()
    return thread

for thread in [start(text) for text in sys.argv[2:]]:
    thread.join()
assert a.value() + b.value() == int(sys.argv[1])
"""


def explore(python: str, directory: Path, expected: int, *calls: str, **how: Any) -> Result:
    os.environ.update(project(directory, python))
    (directory / "script.py").write_text(SCRIPT)
    return check([python, str(directory / "script.py"), str(expected), *calls], **how)


@pytest.fixture(autouse=True)
def as_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("PYTHONPATH", "PYTEST_DISABLE_PLUGIN_AUTOLOAD"):
        monkeypatch.setenv(name, os.environ.get(name, ""))


@pytest.mark.parametrize(
    ("expected", "first", "second"),
    [
        (2, "a.add_in_section()", "a.add_in_section()"),
        (2, "a.add_under_mutex()", "a.add_under_mutex()"),
        (2, "a.add_in_section_of_mutex()", "a.add_in_section_of_two()"),
        (4, "a.add_to_both(b)", "b.add_to_both(a)"),
        (2, "a.section_then_mutex()", "a.mutex_then_section()"),
        (0, "a.keep_one(d)", "a.keep_one(d)"),  # drops an object that it alone has, and once had put into a dict
        (1, "a.add_under_mutex()", "threading.settrace_all_threads(None)"),  # stops all other threads for a moment
    ],
)
def test_what_is_guarded_passes(python: str, tmp_path: Path, expected: int, first: str, second: str) -> None:
    result = explore(python, tmp_path, expected, first, second)
    assert result.exit_code == 0, result.verdict.statement
    assert "the interpreter has no GIL" in result.verdict.statement
    assert "data races" not in result.verdict.statement


@pytest.mark.parametrize(
    ("kind", "expected", "first", "second"),
    [
        (FindingKind.ASSERTION, 2, "a.add_unguarded()", "a.add_in_section()"),
        (FindingKind.ASSERTION, 2, "a.add_unguarded()", "a.add_in_section_of_mutex()"),
        (FindingKind.ASSERTION, 2, "a.add_around(b)", "b.add_inside(a)"),  # an inner section suspends the outer one
        (FindingKind.ASSERTION, 2, "a.add_and_rest()", "a.add_and_rest()"),  # so does a thread that lets others run
        (FindingKind.DEADLOCK, 0, "a.in_this_order()", "a.in_the_other()"),
        (FindingKind.DEADLOCK, 0, "a.itself() and inside(lock, other)", "a.itself() and inside(other, lock)"),
    ],
)
def test_what_is_not_is_found_and_replays(python: str, tmp_path: Path, kind: FindingKind, expected: int, first: str, second: str) -> None:
    result = explore(python, tmp_path, expected, first, second)
    assert [finding.kind for finding in result.findings] == [kind], result.verdict.statement
    assert replay(result.findings[0]).end.outcome is result.findings[0].trace.end.outcome


def test_a_lock_of_python_is_an_operation(python: str, tmp_path: Path) -> None:
    guarded = "(lock.acquire(), a.add_unguarded(), lock.release())"
    result = explore(python, tmp_path, 2, guarded, guarded)
    assert result.exit_code == 0 and "data races" not in result.verdict.statement, result.verdict.statement


class Seen:
    """Which operations there were in some execution, and how many in the longest."""

    def __init__(self) -> None:
        self.kinds: set[Op] = set()
        self.most = 0

    def executed(self, explorer: Explorer, plan: Plan, trace: Trace) -> None:
        self.kinds |= {step.operation.kind for step in trace.steps}
        self.most = max(self.most, trace.length)


def test_references_are_counted_without_an_operation(python: str, tmp_path: Path) -> None:
    """Counting is inlined into the extension, by atomic accesses."""
    seen = Seen()
    result = explore(python, tmp_path, 0, "a.itself()", "a.itself()", observers=[seen])
    assert result.exit_code == 0, result.verdict.statement
    assert seen.kinds == {Op.GATE, Op.JOIN}


def test_a_thread_that_waits_inside_the_interpreter_parks_at_once(python: str, tmp_path: Path) -> None:
    """It would yield forty times before."""
    seen = Seen()
    result = explore(python, tmp_path, 1, "a.add_holding(d)", "d.update(x=1)", observers=[seen])
    assert result.exit_code == 0, result.verdict.statement
    assert Op.SEM_WAIT in seen.kinds and seen.most < 40


def test_its_collector_does_not_run_where_it_would_miss_half_of_the_objects(python: str, tmp_path: Path) -> None:
    result = explore(python, tmp_path, 1, "a.add_in_section()", "__import__('gc').collect()")
    assert result.exit_code == 0, result.verdict.statement


def test_its_lock_is_one_of_the_model_where_it_is_on_and_not_simulated_to_be_off(
    python: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHON_GIL", "1")
    result = explore(python, tmp_path, 2, "a.add_unguarded()", "a.add_in_section()")
    assert result.exit_code == 0 and "where the GIL is released" in result.verdict.statement
    result = explore(python, tmp_path, 2, "a.add_unguarded()", "a.add_in_section()", gil="off")
    assert result.verdict.kind is VerdictKind.UNCONTROLLED and "PYTHON_GIL=0" in result.verdict.statement
