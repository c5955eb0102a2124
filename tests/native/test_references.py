"""Objects that are used without owning a reference, by extensions without the GIL: found as use after free, with the places of it."""

from __future__ import annotations

import os
import re
import subprocess
import sysconfig
from pathlib import Path

import pytest

from bpor.target.library_calls import unseen_python_calls
from tests.native.compiled import compiled
from tests.native.pytest_project import CASES, PytestRun, environment, run_pytest
from tests.patience import PATIENCE

pytestmark = pytest.mark.needs("gcc", "Python.h")


RUNS = int(os.environ.get("BPOR_TEST_RUNS", "2"))  # make soak: 20


@pytest.fixture(scope="module")
def directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("references")
    for name in ("references", "published", "classics", "dying"):
        module = compiled(CASES / f"{name}.c", ["-shared", "-fPIC", f"-I{sysconfig.get_path('include')}"], instrumented=True)
        (directory / f"{name}.so").symlink_to(module)
        (directory / f"test_{name}.py").write_text((CASES / f"{name}.py").read_text())
    return directory


@pytest.fixture(scope="module")
def explored(directory: Path) -> PytestRun:
    return run_pytest(directory, "--bpor", "-q", "test_references.py")


@pytest.fixture(scope="module")
def classics(directory: Path) -> PytestRun:
    return run_pytest(directory, "--bpor", "-q", "test_classics.py")


@pytest.fixture(scope="module")
def published(directory: Path) -> PytestRun:
    return run_pytest(directory, "--bpor", "-q", "test_published.py", "test_dying.py")


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
    assert len(dropped) == 15


def test_with_the_gil_one_that_is_kept_while_it_is_released_is_too(explored: PytestRun) -> None:
    dropped = found(explored, "test_dropped_while_the_gil_is_released")
    assert dropped == {"item_later-replace_item": "memory", "lent_later-evict": "memory"}


def test_with_the_gil_one_whose_memory_the_interpreter_keeps_is_too(explored: PytestRun) -> None:
    """libc's free never hears of a list that waits for the next one: it passed."""
    assert explored["test_dropped_by_python_and_kept_for_the_next_of_its_type"].properties.get("bpor_finding") == "memory"


def test_objects_that_were_made_before_the_test_are_looked_at_too(explored: PytestRun) -> None:
    made = found(explored, "test_made_before")
    assert made == dict.fromkeys(made, "memory")
    assert len(made) == 6


def test_a_word_before_a_pointer_to_a_type_is_no_reference_count(explored: PytestRun) -> None:
    """It was taken for one, and races on it were left out: a pass that depended on what lay behind an object."""
    assert explored["test_counted_once"].properties["bpor_finding"] == "assertion"


def test_every_run_gives_the_same_answer(directory: Path) -> None:
    """Down to the schedule; also with other tests before it, in a process whose heap looks otherwise."""
    chosen = ("test_references.py::test_made_before", "test_references.py::test_right", "-k", "tuple or replace_locked")
    tests = [run_pytest(directory, "--bpor", "-q", *chosen).tests for _ in range(RUNS)]
    runs = [{name: told.properties for name, told in run.items()} for run in tests]
    assert len(runs[0]) == 5
    assert runs == runs[:1] * RUNS


def test_names_do_not_depend_on_what_the_interpreter_frees_and_when(explored: PytestRun) -> None:
    """A name that it keeps in its cache of attributes, by address, was there in one process and freed in the other: nondeterministic."""
    assert explored["test_dropped_where_the_interpreter_frees_and_grows_as_it_likes"].properties["bpor_finding"] == "memory"


def test_a_replay_line_does_not_depend_on_what_the_runner_did_before(explored: PytestRun) -> None:
    """Room for attributes had the size of the object, in one of two tests: the object had another name, so the line replayed nothing."""
    lines = [explored[f"test_as_before[{number}]"].properties["bpor_replay"].split("--bpor-replay=")[1] for number in range(2)]
    assert lines[0] == lines[1]


def test_a_replay_line_of_a_static_variable_does_not_depend_on_what_else_was_loaded(directory: Path) -> None:
    """The variable was named by the number of its module: alone, the line of a suite was *nondeterministic*."""
    (directory / "test_before.py").write_text("import dying, published, references\n")
    suite = run_pytest(directory, "--bpor", "-q", "test_before.py", "test_classics.py", "-k", "static_word")
    value = suite["test_wrong_static_word"].replay.split()[-1].strip("'")
    assert "=classics.so:" in value
    alone = run_pytest(directory, "-q", value, "test_classics.py::test_wrong_static_word")
    assert alone["test_wrong_static_word"].properties.get("bpor_finding") == "assertion", alone.output


def test_references_that_are_owned_pass(explored: PytestRun) -> None:
    right = found(explored, "test_right")
    assert right == dict.fromkeys(right, "passed")
    assert len(right) == 7


def test_references_that_cannot_matter_cost_no_schedule(explored: PytestRun) -> None:
    """Two orders of two threads: one with five pairs of counts for an object that stays and for None, one with none."""
    schedules = {name: explored[f"test_right[{name}-{name}]"].properties["bpor_schedules"] for name in ("traffic", "no_traffic")}
    assert schedules == {"traffic": "2", "no_traffic": "2"}


def test_a_use_of_what_was_given_away_is_a_use_after_free_if_another_thread_drops_it(published: PytestRun) -> None:
    """Stored where others load it, put into a container and given up, or loaded under a lock that is let go too early: all passed."""
    wrong = found(published, "test_wrong")
    assert wrong == dict.fromkeys(wrong, "memory")
    assert len(wrong) == 19


def test_what_is_given_away_with_a_reference_of_its_own_may_be_used(published: PytestRun) -> None:
    right = found(published, "test_right")
    assert right == dict.fromkeys(right, "passed")
    assert len(right) == 11


def test_counting_what_a_thread_owns_costs_no_schedule(published: PytestRun) -> None:
    """Five times, beside a thread that drops the object."""
    names = ("traffic", "no_traffic")
    schedules = [published[f"test_right[{name}-clear_locked]"].properties["bpor_schedules"] for name in names]
    assert schedules == schedules[1:] * 2


def test_the_report_says_who_dropped_an_object_whose_memory_the_interpreter_keeps(published: PytestRun) -> None:
    text = " ".join(published["test_wrong[assure-clear]"].text.split("It takes")[0].split())
    assert re.match(
        r"memory: use after free: .* published\.c:\d+ in assure, thread T1 .* after T2 \(clear\) at published\.c:\d+ in", text
    ), text


def test_classic_mistakes_are_found_also_where_only_the_interpreter_writes(classics: PytestRun) -> None:
    """A member that Python sets, an item of a list, a weak reference, a cell; text that it reads; a count of one: all passed."""
    wrong = {name: told.properties.get("bpor_finding", told.text) for name, told in classics.tests.items() if "wrong" in name}
    others = {"test_wrong_state_cache", "test_wrong_lazy_flag", "test_wrong_static_text", "test_wrong_static_word", "test_wrong_alone_seen"}
    others |= {"test_wrong_hit_kind"}  # its field was taken for the count of an object
    assert {name: found for name, found in wrong.items() if found != "memory"} == {
        name: "crash" if name == "test_wrong_lazy_flag" else "assertion" for name in others
    }
    assert len(wrong) == 24


def test_what_only_looks_like_a_mistake_passes(classics: PytestRun) -> None:
    right = {name: told.outcome for name, told in classics.tests.items() if "right" in name}
    assert right == dict.fromkeys(right, "passed")
    assert len(right) == 8
    unchanged = ("test_right_varargs", "test_right_constant")
    assert {classics[name].properties["bpor_schedules"] for name in unchanged} == {"2"}


def test_an_object_is_there_until_its_deallocator_has_returned(published: PytestRun) -> None:
    """A deallocator that waits for a lock leaves it where others, who have the lock, may look: right, and was *memory*."""
    wrong = {name: told.properties.get("bpor_finding") for name, told in published.tests.items() if name.startswith("test_wrong_")}
    right = {name: told.outcome for name, told in published.tests.items() if name.startswith("test_right_")}
    assert wrong == dict.fromkeys(wrong, "memory")
    assert right == dict.fromkeys(right, "passed")
    assert (len(wrong), len(right)) == (5, 3)


def test_calls_of_methods_are_steps_on_their_object(explored: PytestRun) -> None:
    once = found(explored, "test_once")
    assert once == dict.fromkeys(once, "assertion")
    assert len(once) == 3


def test_the_report_has_the_places_of_the_load_of_the_drop_and_of_the_use(explored: PytestRun) -> None:
    text = explored["test_dropped[item-replace_item]"].text
    load, drop = line_of("return Py_NewRef(box->item)"), line_of("Py_SETREF", "METHOD(replace_item)")
    first = " ".join(text.split("It takes")[0].split())
    assert re.match(rf"memory: use after free: .* references\.c:{load} in item, thread T1 .*references\.c:{drop} in", first), text
    assert re.search(rf"^ +\d+ .*\bread .* references\.c:{load} ", text, re.MULTILINE)
    assert re.search(rf"^ +\d+ .*\bfree .* references\.c:{drop} ", text, re.MULTILINE)
    assert re.search(rf"^ +\d+ .*\buse reference .* references\.c:{load} ", text, re.MULTILINE)


def test_the_replay_line_of_an_object_of_a_fixture_works_in_another_process(explored: PytestRun, directory: Path) -> None:
    told = explored["test_made_before[session-of_tuple-replace_tuple]"]
    assert "@visible=made_for_all." in told.replay
    beside = {**environment(), "PYTEST_ADDOPTS": "-p bpor.pytest_plugin -p no:cacheprovider"}
    again = subprocess.run(told.replay, shell=True, cwd=directory, env=beside, capture_output=True, text=True, timeout=PATIENCE)
    assert told.text.splitlines()[0] in again.stdout


def test_schedules_with_one_preemption_are_run_whatever_their_steps_have_in_common(explored: PytestRun) -> None:
    """State that no step shows: the steps around it are independent, and known after two executions, and still the third is run."""
    assert explored["test_unseen"].properties.get("bpor_finding") == "assertion"


def test_calls_of_the_interpreter_that_are_no_steps_are_named() -> None:
    names = ["PyDict_GetItem", "PyLong_FromLong", "PyErr_SetString", "_Py_Dealloc", "PyFrobnicate_Object", "printf", "PyObject_CallMethod"]
    names += ["_PyByteArray_empty_string"]  # a variable
    assert unseen_python_calls([*names, "PyErr_FormatV", "PyOS_snprintf"]) == ("PyErr_FormatV", "PyFrobnicate_Object")
