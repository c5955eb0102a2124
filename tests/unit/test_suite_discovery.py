"""From patterns to cases, and the parts of them that a job runs."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bpor.errors import UsageError
from bpor.suite import criterion
from bpor.suite.case import Case
from bpor.suite.config import ConfiguredTest, SuiteConfig
from bpor.suite.discovery import cases_of, selected, sharded
from bpor.suite.gtest import parse_listing


def programs(root: Path, *names: str) -> None:
    for name in names:
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("#!/bin/sh\n")
        path.chmod(0o755)


def cases(root: Path, *entries: ConfiguredTest) -> list[Case]:
    return cases_of(SuiteConfig(root, entries), {})


def test_a_pattern_stands_for_every_program_in_a_fixed_order(tmp_path: Path) -> None:
    programs(tmp_path, "t/b_test", "t/a_test", "t/c")
    (tmp_path / "t/d_test").write_text("data")
    found = cases(tmp_path, ConfiguredTest("t/*_test", arguments=("-x",)))
    assert [(case.name, case.argv) for case in found] == [("t/a_test", ("t/a_test", "-x")), ("t/b_test", ("t/b_test", "-x"))]


def test_a_program_beside_the_file_is_started_from_there_and_not_from_the_path(tmp_path: Path) -> None:
    programs(tmp_path, "true")
    assert cases(tmp_path, ConfiguredTest("true"))[0].argv == ("./true",)


def test_a_pattern_that_matches_nothing_is_an_error_and_not_a_pass(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("x")
    with pytest.raises(UsageError, match="matches nothing; was it built"):
        cases(tmp_path, ConfiguredTest("gone*"))
    with pytest.raises(UsageError, match="1 files, none of them a program"):
        cases(tmp_path, ConfiguredTest("data"))


def test_the_same_program_twice_needs_names(tmp_path: Path) -> None:
    programs(tmp_path, "a")
    with pytest.raises(UsageError, match="two tests are called 'a'"):
        cases(tmp_path, ConfiguredTest("a"), ConfiguredTest("a"))
    assert [case.name for case in cases(tmp_path, ConfiguredTest("a"), ConfiguredTest("a", name="again"))] == ["a", "again"]


def test_tests_are_named_by_name_base_name_or_pattern() -> None:
    every = [Case("t/a", ("t/a",)), Case("t/b:S.One", ("t/b",)), Case("t/b:S.Two", ("t/b",))]
    assert selected(every, []) == every
    assert selected(every, ["a"]) == every[:1]
    assert selected(every, ["t/b:*"]) == every[1:]
    with pytest.raises(UsageError, match="no test is called 'x'; there are: t/a"):
        selected(every, ["a", "x"])


@given(st.integers(0, 40), st.integers(1, 9))
def test_the_shards_of_n_jobs_run_every_case_exactly_once(count: int, total: int) -> None:
    every = [Case(str(number), ("x",)) for number in range(count)]
    by_flag = [case for index in range(total) for case in sharded(every, f"{index + 1}/{total}", {})]
    variables = [{"GTEST_TOTAL_SHARDS": str(total), "GTEST_SHARD_INDEX": str(index)} for index in range(total)]
    by_variable = [case for environment in variables for case in sharded(every, None, environment)]
    assert sorted(by_flag, key=lambda case: int(case.name)) == every
    assert by_variable == by_flag


def test_the_flag_wins_over_the_variables_and_the_status_file_is_touched(tmp_path: Path) -> None:
    every = [Case("a", ("x",)), Case("b", ("x",))]
    environment = {"GTEST_TOTAL_SHARDS": "2", "GTEST_SHARD_INDEX": "1", "GTEST_SHARD_STATUS_FILE": str(tmp_path / "s")}
    assert sharded(every, "1/2", environment) == every[:1]
    assert sharded(every, None, environment) == every[1:]
    assert (tmp_path / "s").exists()


@pytest.mark.parametrize(("index", "total"), [("2", "2"), ("-1", "2"), ("x", "2"), ("0", "x")])
def test_a_shard_that_is_none_is_an_error(index: str, total: str) -> None:
    with pytest.raises(UsageError, match="is no shard"):
        sharded([], None, {"GTEST_TOTAL_SHARDS": total, "GTEST_SHARD_INDEX": index})


def test_a_listing_of_criterion_is_read_in_both_alphabets_without_what_is_disabled() -> None:
    text = "one: 2 tests\n├── a\n└── off (skipped)\ntwo: 1 test\n`-- b\n"
    assert criterion.parse_listing(text) == ["one/a", "two/b"]


def test_a_listing_is_read_with_parameters_types_and_what_the_program_says_itself() -> None:
    text = """Running main() from gtest_main.cc
Queue.
  Pops
  DISABLED_Slow
Sizes/Ring.
  Wraps/0  # GetParam() = 1
  Wraps/1  # GetParam() = "a. b"
Typed/0.  # TypeParam = int
  Works
"""
    assert parse_listing(text) == ["Queue.Pops", "Queue.DISABLED_Slow", "Sizes/Ring.Wraps/0", "Sizes/Ring.Wraps/1", "Typed/0.Works"]
