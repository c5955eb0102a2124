"""What runners say of their tests, read: CTest's JSON and its cache, meson's log and introspection, what cargo starts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from bpor.errors import UsageError
from bpor.suite.frameworks import asks_for_tests, parse_boost
from bpor.suite.gtest import chooses_one
from bpor.suite.runners import ctest, meson
from bpor.suite.runners.cargo import parse_note
from bpor.suite.runners.listed import Listed


def told(name: str, **properties: Any) -> dict[str, Any]:
    return {"name": name, "command": [f"/b/{name}"], "properties": [{"name": key, "value": value} for key, value in properties.items()]}


def test_a_test_of_ctest_keeps_its_directory_its_environment_and_the_status_by_which_it_skips() -> None:
    properties = {"WORKING_DIRECTORY": "/data", "ENVIRONMENT": ["A=b=c"], "SKIP_RETURN_CODE": 77}
    project = ctest.parse_project({"tests": [told("t", **properties)]}, {})
    assert project.tests == (Listed("t", ("/b/t",), "/data", (("A", "b=c"),), skips_with=77),)


@pytest.mark.parametrize(("name", "value"), [("WILL_FAIL", True), ("PASS_REGULAR_EXPRESSION", ["ok"]), ("FAIL_REGULAR_EXPRESSION", ["no"])])
def test_a_test_that_ctest_judges_otherwise_is_refused_with_the_property_that_does(name: str, value: object) -> None:
    (test,) = ctest.parse_project({"tests": [told("t", **{name: value})]}, {}).tests
    assert name in test.refused


def test_a_test_of_ctest_whose_program_is_missing_is_refused_and_a_disabled_one_left_out() -> None:
    project = ctest.parse_project({"tests": [{"name": "gone"}, told("off", DISABLED=True)]}, {})
    assert [(test.name, test.refused) for test in project.tests] == [("gone", "its program was not built")]


def test_fixtures_of_ctest_run_around_the_tests() -> None:
    rows = [told("up", FIXTURES_SETUP=["db"]), told("down", FIXTURES_CLEANUP=["db"]), told("t", FIXTURES_REQUIRED=["db"])]
    project = ctest.parse_project({"tests": rows}, {})
    assert [[test.name for test in part] for part in (project.before, project.tests, project.after)] == [["up"], ["t"], ["down"]]


def test_changes_of_an_environment_follow_each_other() -> None:
    changes = [
        "P=path_list_prepend:/a",
        "P=path_list_append:/z",
        "S=string_append:2",
        "L=cmake_list_append:x",
        "U=unset:",
        "R=set:1",
        "R=reset:",
    ]
    assert dict(ctest.modified(changes, {"P": "/p", "S": "1", "U": "gone"})) == {
        "P": "/a:/p:/z",
        "S": "12",
        "L": "x",
        "U": None,
        "R": None,
    }
    with pytest.raises(UsageError, match="'nonsense' is not known"):
        ctest.modified(["A=nonsense:1"], {})


def test_of_a_cache_what_a_person_chose_is_kept_and_what_belongs_to_that_build_is_not(tmp_path: Path) -> None:
    cache = tmp_path / "CMakeCache.txt"
    cache.write_text(
        "// made\nWITH_TLS:BOOL=ON\nCMAKE_BUILD_TYPE:STRING=Debug\nCMAKE_CXX_COMPILER:FILEPATH=/bin/c++\nX_LIBRARY:FILEPATH=X-NOTFOUND\n"
        "FETCHCONTENT_BASE_DIR:PATH=/b/_deps\nt_BINARY_DIR:STATIC=/b\nCMAKE_HOME_DIRECTORY:INTERNAL=/s\nEMPTY:STRING=\n"
    )
    assert ctest.read_cache(cache) == {"CMAKE_HOME_DIRECTORY": "/s", "WITH_TLS:BOOL": "ON", "CMAKE_BUILD_TYPE:STRING": "Debug"}


def of_meson(name: str, result: str = "OK", protocol: str = "exitcode") -> tuple[dict[str, Any], dict[str, Any]]:
    fact = {"name": name, "cmd": [f"/b/{name}", "-x"], "env": {"A": "b"}, "workdir": None, "protocol": protocol}
    return {"name": f"suite - project:{name}", "command": ["true", f"/b/{name}", "-x"], "result": result}, fact


def test_tests_of_meson_are_those_that_its_log_names_run_as_its_introspection_says() -> None:
    (row, fact), (_, other) = of_meson("t"), of_meson("not chosen")
    assert meson.parse_project([row], [other, fact], "/b").tests == (Listed("t", ("/b/t", "-x"), "/b", (("A", "b"),), skips_with=77),)


def test_two_tests_of_meson_with_one_program_are_told_apart_by_name_and_arguments() -> None:
    """`ring_small` was run as `ring`, whose command is the beginning of its own."""
    facts = [{**of_meson("ring")[1], "name": name, "cmd": ["/b/ring", *more]} for name, more in (("ring", []), ("ring_small", ["4"]))]
    rows = [{**of_meson(fact["name"])[0], "command": ["true", *fact["cmd"]]} for fact in facts]
    commands = {test.name: test.argv for test in meson.parse_project(rows, facts, "/b").tests}
    assert commands == {"ring": ("/b/ring",), "ring_small": ("/b/ring", "4")}


def test_arguments_that_meson_test_adds_are_the_programs() -> None:
    row, fact = of_meson("t")
    (test,) = meson.parse_project([{**row, "command": [*row["command"], "--more"]}], [fact], "/b").tests
    assert test.argv == ("/b/t", "-x", "--more")


def test_a_test_in_mesons_log_that_nobody_can_describe_is_not_left_out() -> None:
    with pytest.raises(UsageError, match="project:t"):
        meson.parse_project([of_meson("t")[0]], [], "/b")


def test_tests_of_meson_that_should_fail_or_speak_tap_are_refused() -> None:
    pairs = [of_meson("inverted", "UNEXPECTEDPASS"), of_meson("words", protocol="tap")]
    project = meson.parse_project([row for row, _ in pairs], [fact for _, fact in pairs], "/b")
    assert ["should_fail" in project.tests[0].refused, "TAP" in project.tests[1].refused] == [True, True]


def test_what_cargo_starts_is_noted_with_its_directory_and_what_cargo_added_to_the_environment() -> None:
    note = b"\0".join([b"/pkg", b"2", b"/t/gate-1f", b"name", b"HOME=/h", b"CARGO_PKG_NAME=gate", b"SHLVL=3", b""])
    expected = Listed("gate", ("/t/gate-1f", "name"), "/pkg", (("CARGO_PKG_NAME", "gate"),))
    assert parse_note(note, {"HOME": "/h", "SHLVL": "2"}) == expected


def test_a_tree_of_boost_is_its_leaves_that_are_enabled() -> None:
    assert parse_boost("free*\nouter*: what it is\n    inner*\n        a*\n        b \nlast*\n") == ["free", "outer/inner/a", "last"]


@pytest.mark.parametrize(("words", "chosen"), [(["--gtest_filter=A.b"], True), (["--gtest_filter=A.*"], False), (["-v"], False)])
def test_a_filter_without_a_pattern_chooses_one_test_of_googletest(words: list[str], chosen: bool) -> None:
    assert chooses_one(words) is chosen


@pytest.mark.parametrize(
    ("words", "asks"),
    [
        (["--gtest_list_tests"], True),
        (["--gtest_list_tests=1"], True),
        (["--gtest_list_tests=0"], False),
        (["--gtest_list_tests=false"], False),
        (["--gtest_list_tests=F"], False),
        (["--gtest_filter=*"], False),
        ([], False),
    ],
)
def test_a_program_is_asked_for_its_tests_only_by_a_word_that_does_not_say_no(tmp_path: Path, words: list[str], asks: bool) -> None:
    """It runs natively then, and what runs natively was not searched."""
    program = tmp_path / "tests"
    program.write_bytes(Path("/bin/true").read_bytes() + b"gtest_list_tests")
    program.chmod(0o755)
    assert asks_for_tests([str(program), *words]) is asks
