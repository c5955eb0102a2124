"""What the interpreter does for an extension: it parses into variables, replaces what a field leads to, lends, gives buffers back, sets
numbers; and what libc closes and unmaps."""

from __future__ import annotations

import pytest

from tests.native.pytest_project import PytestRun, project, run_pytest


@pytest.fixture(scope="module")
def explored(tmp_path_factory: pytest.TempPathFactory) -> PytestRun:
    return run_pytest(project(tmp_path_factory.mktemp("by_interpreter"), "by_interpreter", extension="by_interpreter"), "--bpor", "-q")


@pytest.fixture(scope="module")
def values(tmp_path_factory: pytest.TempPathFactory) -> PytestRun:
    return run_pytest(project(tmp_path_factory.mktemp("values"), "values", extension="values"), "--bpor", "-q")


def test_mistakes_that_only_calls_of_the_interpreter_show_are_found(explored: PytestRun) -> None:
    """Eight of them passed as "all schedules": a static target of PyArg_ParseTuple, a capsule's context, a set's entry."""
    wrong = {name: told.properties.get("bpor_finding", told.text) for name, told in explored.tests.items() if "wrong" in name}
    assert wrong == {
        **dict.fromkeys((f"test_wrong_{what}" for what in ("parsed_number", "parsed_text", "parsed_many", "parsed_keyword")), "assertion"),
        "test_wrong_unpacked": "assertion",
        **dict.fromkeys((f"test_wrong_{what}" for what in ("grown", "context", "element", "last", "view")), "memory"),
    }


def test_the_same_done_right_passes(explored: PytestRun) -> None:
    right = {name: told.outcome for name, told in explored.tests.items() if "right" in name}
    assert right == dict.fromkeys(("test_right_parsed", "test_right_context", "test_right_last"), "passed")


def test_variables_of_its_own_cost_no_schedule(explored: PytestRun) -> None:
    assert explored["test_right_parsed"].properties["bpor_schedules"] == "2"


def test_memory_that_is_changed_without_telling_is_explored(values: PytestRun) -> None:
    """Each passed: a number that Python's code sets, PyUnicode_Append in both threads, fclose beside fputs, munmap beside a read."""
    wrong = {name: told.properties.get("bpor_finding", told.text) for name, told in values.tests.items() if "wrong" in name}
    numbers = ("[number]", "[flag]", "[fraction]", "_bytes[bytearray]", "_bytes[array]", "_appended")
    assert wrong == {
        **dict.fromkeys((f"test_wrong{what}" for what in numbers), "assertion"),
        **dict.fromkeys(("test_wrong_resized", "test_wrong_closed"), "memory"),
        "test_wrong_unmapped": "crash",
    }


def test_the_same_done_right_passes_and_costs_little(values: PytestRun) -> None:
    right = {name: told.properties["bpor_schedules"] for name, told in values.tests.items() if told.outcome == "passed"}
    assert right == {
        "test_listed[had]": "5",
        **dict.fromkeys((f"test_right_{what}" for what in ("number", "neighbour", "appended_own")), "2"),
        "test_right_appended": "12",
        "test_right_closed": "8",
    }


def test_a_write_beyond_the_end_of_a_block_ends_the_execution_there(values: PytestRun) -> None:
    """What it would destroy is not the same in two processes, so that the test did not repeat itself (lru-dict, `set` beside `clear`)."""
    told = values["test_listed[all]"]
    assert "write beyond the end: 8 bytes by T1, 24 bytes into a block of 24" in " ".join(told.text.split())
