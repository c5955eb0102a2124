"""Texts, objects and variables that functions of the interpreter find in their arguments."""

from __future__ import annotations

import pytest

from tests.native.pytest_project import PytestRun, project, run_pytest


@pytest.fixture(scope="module")
def explored(tmp_path_factory: pytest.TempPathFactory) -> PytestRun:
    return run_pytest(project(tmp_path_factory.mktemp("arguments"), "arguments", extension="arguments"), "--bpor", "-q")


def findings(explored: PytestRun, of: str) -> dict[str, str]:
    return {name.removeprefix(of): told.properties.get("bpor_finding", told.text) for name, told in explored.tests.items() if of in name}


def test_a_text_that_is_freed_while_the_interpreter_reads_it_is_found(explored: PytestRun) -> None:
    """Only PyUnicode_FromString and a few more were known to read what they are given."""
    uses = ["format_name", "build_name", "complain_of_name", "complain_by_name", "attribute_by_name", "decode_name", "lend_name"]
    assert findings(explored, "test_wrong_text") == {f"[{use}]": "memory" for use in uses}


def test_an_object_behind_a_format_or_in_a_row_is_used(explored: PytestRun) -> None:
    uses = ("pack_kept", "build_kept", "format_kept", "call_with_kept", "call_by_array")
    assert findings(explored, "test_wrong_object") == {f"[{use}]": "memory" for use in uses}


def test_a_function_that_only_uses_what_it_is_given_uses_it(explored: PytestRun) -> None:
    """Only those that are steps were known to: the others passed, however many, and the verdict did not name them."""
    uses = ("replace_letters", "raise", "end_slice", "bind", "parse", "give_keywords")
    assert findings(explored, "test_wrong_use") == {f"[{use}]": "memory" for use in uses}
    assert {use: explored[f"test_right_use[{use}]"].outcome for use in uses} == dict.fromkeys(uses, "passed")


def test_what_is_filled_in_for_two_threads_is_found(explored: PytestRun) -> None:
    """Bits beside a bit-field are read and written too, and a list that was popped by a pointer has changed."""
    wrong = {name: finding for name, finding in findings(explored, "test_wrong_").items() if "[" not in name}
    assert wrong == dict.fromkeys(("slice", "number", "letters", "printed", "bits", "pop"), "assertion")


def test_the_same_done_right_passes_and_variables_of_its_own_cost_nothing(explored: PytestRun) -> None:
    right = {name: told.outcome for name, told in explored.tests.items() if "right" in name and "[" not in name}
    assert right == dict.fromkeys(("test_right_text", "test_right_slice", "test_right_bit"), "passed")
    assert explored["test_right_slice"].properties["bpor_schedules"] == "2"
