"""Objects that are used without owning a reference, by extensions without the GIL: found as use after free, with the places of it."""

from __future__ import annotations

import re
import sysconfig

import pytest

from bpor.target.library_calls import unseen_python_calls
from tests.native.compiled import compiled
from tests.native.pytest_project import CASES, PytestRun, run_pytest

pytestmark = pytest.mark.needs("gcc", "Python.h")


@pytest.fixture(scope="module")
def explored(tmp_path_factory: pytest.TempPathFactory) -> PytestRun:
    directory = tmp_path_factory.mktemp("references")
    module = compiled(CASES / "references.c", ["-shared", "-fPIC", f"-I{sysconfig.get_path('include')}"], instrumented=True)
    (directory / "references.so").symlink_to(module)
    (directory / "test_references.py").write_text((CASES / "references.py").read_text())
    return run_pytest(directory, "--bpor", "-q")


def line_of(text: str, after: str = "") -> int:
    """The number of the line in references.c, the first behind another one."""
    lines = (CASES / "references.c").read_text().splitlines()
    begin = next(number for number, line in enumerate(lines) if after in line)
    return next(number for number, line in enumerate(lines, 1) if number > begin and text in line)


def found(run: PytestRun, test: str) -> dict[str, str]:
    """What came of every pair of a test."""
    told = {name: told for name, told in run.tests.items() if name.startswith(f"{test}[")}
    return {name.split("[")[1][:-1]: one.properties.get("bpor_finding", one.outcome + one.text) for name, one in told.items()}


def test_every_use_of_a_reference_that_another_thread_drops_is_a_use_after_free(explored: PytestRun) -> None:
    dropped = found(explored, "test_dropped")
    assert dropped == dict.fromkeys(dropped, "memory")
    assert len(dropped) == 13


def test_with_the_gil_one_that_is_kept_while_it_is_released_is_too(explored: PytestRun) -> None:
    dropped = found(explored, "test_dropped_while_the_gil_is_released")
    assert dropped == {"item_later-replace_item": "memory", "lent_later-evict": "memory"}


def test_references_that_are_owned_pass(explored: PytestRun) -> None:
    right = found(explored, "test_right")
    assert right == dict.fromkeys(right, "passed")
    assert len(right) == 5


def test_references_that_cannot_matter_cost_no_schedule(explored: PytestRun) -> None:
    """Two orders of two threads: one with five pairs of counts for an object that stays and for None, one with none."""
    schedules = {name: explored[f"test_right[{name}-{name}]"].properties["bpor_schedules"] for name in ("traffic", "no_traffic")}
    assert schedules == {"traffic": "2", "no_traffic": "2"}


def test_calls_of_methods_are_steps_on_their_object(explored: PytestRun) -> None:
    once = found(explored, "test_once")
    assert once == dict.fromkeys(once, "assertion")
    assert len(once) == 3


def test_the_report_has_the_places_of_the_load_of_the_drop_and_of_the_use(explored: PytestRun) -> None:
    text = explored["test_dropped[item-replace_item]"].text
    load, drop = line_of("return Py_NewRef(box->item)"), line_of("Py_SETREF", "METHOD(replace_item)")
    first = " ".join(text.split("It takes")[0].split())
    assert re.match(rf"memory: use after free: .* references\.c:{load} in item, thread T1 .*references\.c:{drop} in", first), text
    assert re.search(rf"^ +\d+ +read .* references\.c:{load} ", text, re.MULTILINE)
    assert re.search(rf"^ +\d+ +free .* references\.c:{drop} ", text, re.MULTILINE)
    assert re.search(rf"^ +\d+ +use reference .* references\.c:{load} ", text, re.MULTILINE)


def test_the_replay_line_finds_it_again(explored: PytestRun) -> None:
    assert "@gil=off" in explored["test_dropped[cached-evict]"].replay


def test_calls_of_the_interpreter_that_are_no_steps_are_named() -> None:
    names = ["PyDict_GetItem", "PyLong_FromLong", "PyErr_SetString", "_Py_Dealloc", "PyFrobnicate_Object", "printf", "PyObject_CallMethod"]
    assert unseen_python_calls(names) == ("PyFrobnicate_Object",)
