"""The suite's file: what it may say, and the one line that a wrong word costs."""

from __future__ import annotations

from pathlib import Path

import pytest

from bpor.errors import UsageError
from bpor.suite.config import find_config, read_config

WHOLE = """
build = ["make", "tests"]
budget = "5m"
jobs = 3
suppressions = "known.supp"
corpus = "findings"
environment = { LANG = "C" }
[options]
bound = "preemption:1"
max-time = "1m"
[[test]]
program = "tests/*_test"
[[test]]
program = "slow"
name = "the slow one"
arguments = ["--size", "2"]
environment = { SIZE = "2" }
bound = "fair:2,preemption:3"
max-time = "2m"
spurious = true
expect = "deadlock"
gtest = false
"""


def config(tmp_path: Path, text: str, name: str = "bpor.toml") -> Path:
    path = tmp_path / name
    path.write_text(text)
    return path


def test_a_test_has_its_own_options_over_the_suites(tmp_path: Path) -> None:
    suite = read_config(config(tmp_path, WHOLE))
    first, second = suite.tests
    assert (suite.build, suite.budget, suite.jobs, suite.corpus, suite.root) == (("make", "tests"), 300.0, 3, "findings", tmp_path)
    assert (first.settings.bound, first.settings.max_time, first.expect, first.gtest) == ("preemption:1", 60.0, "pass", None)
    assert (second.settings.bound, second.settings.max_time, second.settings.spurious) == ("fair:2,preemption:3", 120.0, True)
    assert (second.name, second.arguments, second.expect, second.gtest) == ("the slow one", ("--size", "2"), "deadlock", False)
    assert dict(second.environment) == {"LANG": "C", "SIZE": "2"}


def test_the_command_line_wins_over_the_file(tmp_path: Path) -> None:
    suite = read_config(config(tmp_path, WHOLE), {"bound": "preemption:0"})
    assert [test.settings.bound for test in suite.tests] == ["preemption:0"] * 2


def test_bpor_toml_comes_before_pyproject(tmp_path: Path) -> None:
    pyproject = config(tmp_path, '[[tool.bpor.test]]\nprogram = "a"\n', "pyproject.toml")
    assert find_config(tmp_path) == pyproject
    assert read_config(pyproject).tests[0].program == "a"
    own = config(tmp_path, '[[test]]\nprogram = "b"\n')
    assert find_config(tmp_path) == own


def test_a_pyproject_that_does_not_speak_of_us_is_no_suite(tmp_path: Path) -> None:
    config(tmp_path, "[tool.other]\nx = 1\n", "pyproject.toml")
    with pytest.raises(UsageError, match=r"neither bpor\.toml nor"):
        find_config(tmp_path)


WRONG = [
    ("", "lists no"),
    ("test = 3", "test: must be a list of tables"),
    ("test = [3]", "test 1: not a table"),
    ("[[test]]\n", "test 1: program: is missing"),
    ('[[test]]\nprogram = "a"\nbond = "x"', "test 1: bond: is not known here"),
    ('[[test]]\nprogram = "a"\nbound = "preemption:x"', "test 1: bound"),
    ('[[test]]\nprogram = "a"\nbound = 3', "test 1: bound"),
    ('[[test]]\nprogram = "a"\nmax-time = "soon"', "test 1: max-time: 'soon' is not a time"),
    ('[[test]]\nprogram = "a"\nmax-steps = 0', "test 1: max-steps: 0 would run nothing"),
    ('[[test]]\nprogram = "a"\nmax-steps = []', "test 1: max-steps: is not N"),
    ('[[test]]\nprogram = "a"\nspurious = false', "test 1: spurious: is a switch"),
    ('[[test]]\nprogram = "a"\nexpect = "perhaps"', "test 1: expect: 'perhaps' is not one of pass, bug"),
    ('[[test]]\nprogram = "a"\narguments = "-x"', "test 1: arguments: must be a list of words"),
    ('[[test]]\nprogram = "a"\narguments = [1]', "test 1: arguments: holds something that is not text"),
    ('[[test]]\nprogram = "a"\ngtest = "yes"', "test 1: gtest: must be true or false"),
    ('[[test]]\nprogram = "a\\u0000b"', "test 1: program: holds a zero byte"),
    ('[[test]]\nprogram = "a"\nenvironment = { "A=B" = "c" }', "is not a name with a text"),
    ('[[test]]\nprogram = "a"\nenvironment = { A = 1 }', "environment.A: is not a name with a text"),
    ('build = "make tests"\n[[test]]\nprogram = "a"', "build: must be a list of words"),
    ('budget = "never"\n[[test]]\nprogram = "a"', "budget: 'never' is not a time"),
    ('json = "x"\n[[test]]\nprogram = "a"', "json: is not known here"),
    ('[options]\njson = "x"\n[[test]]\nprogram = "a"', "options: json: is not known here"),
    ("[[test]\n", "bpor.toml: "),
    ("x = " + "[" * 5000, "bpor.toml: "),
]


@pytest.mark.parametrize(("text", "complaint"), WRONG)
def test_a_wrong_word_is_one_line_that_names_where_it_stands(tmp_path: Path, text: str, complaint: str) -> None:
    path = config(tmp_path, text)
    with pytest.raises(UsageError) as error:
        read_config(path)
    assert complaint in str(error.value)
    assert str(path) in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("data", "complaint"), [(b"\xff\xfe", "is not UTF-8"), (b"\0" * 10, "bpor.toml: "), (b"#" * ((1 << 20) + 1), "larger than")]
)
def test_a_file_that_is_no_toml_is_one_line(tmp_path: Path, data: bytes, complaint: str) -> None:
    (tmp_path / "bpor.toml").write_bytes(data)
    with pytest.raises(UsageError, match=complaint):
        read_config(tmp_path / "bpor.toml")


def test_a_file_that_is_not_there_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="No such file"):
        read_config(tmp_path / "bpor.toml")
    with pytest.raises(UsageError, match="directory"):
        read_config(tmp_path)
