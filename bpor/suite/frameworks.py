"""Test frameworks whose programs list their tests and run one by its name: each test becomes a search of its own.

A search of the whole program would multiply the schedules of all its tests with each other, which shows nothing more, and would give one
verdict for all. Invariant: a program that is asked for its tests is run as it is, never under control.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Mapping, Sequence

from bpor.lazy_dataclass import dataclass
from bpor.suite import criterion, gtest
from bpor.suite.listing import holds, links, listing

_LIBTEST = ("--ignored", "--include-ignored", "--nocapture")  # words that still mean something where one test is chosen
_NO = ("0", "f", "F", "n", "N")  # a value that begins so switches an option off
_SEPARATOR = re.compile(r"=+")
_BRANCH = re.compile(r"( *)([^\s*]+)(\*?) *(?::.*)?")  # Boost's `    case*: description`


@dataclass(frozen=True, slots=True)
class Framework:
    name: str
    recognises: Callable[[str], bool]  # the program at this path
    asks: tuple[str, ...]  # words that ask a program for its tests
    tests: Callable[[list[str], str, Mapping[str, str]], list[str]]  # (command, directory, environment): what would run
    only: Callable[[tuple[str, ...], str], tuple[str, ...]]  # (command, test): the command that runs that test alone
    chooses: Callable[[Sequence[str]], bool]  # do these words choose one already?


def framework_of(path: str) -> Framework | None:
    return next((framework for framework in FRAMEWORKS if framework.recognises(path)), None)


def asks_for_tests(command: Sequence[str]) -> bool:
    """Is the program asked for a list, which has nothing to do with schedules?"""
    said = {name for name, _, value in (word.partition("=") for word in command[1:]) if not value.startswith(_NO)}
    asked = [framework for framework in FRAMEWORKS if said.intersection(framework.asks)]
    path = shutil.which(command[0]) if asked else None
    return path is not None and any(framework.recognises(path) for framework in asked)


def _catch2_tests(command: list[str], directory: str, environment: Mapping[str, str]) -> list[str]:
    """Version 2 has an option of its own for this, and exits with the number of tests."""
    if holds(command[0], b"list-test-names-only"):
        return _lines(listing(command, ["--list-test-names-only"], directory, environment, any_status=True))
    return _lines(listing(command, ["--list-tests", "--verbosity", "quiet"], directory, environment))


def _doctest_tests(command: list[str], directory: str, environment: Mapping[str, str]) -> list[str]:
    lines = _lines(listing(command, ["--list-test-cases", "--no-colors"], directory, environment))
    return [line for line in lines if not line.startswith("[doctest]") and not _SEPARATOR.fullmatch(line)]


def _boost_tests(command: list[str], directory: str, environment: Mapping[str, str]) -> list[str]:
    return parse_boost(listing(command, ["--list_content", "--color_output=no"], directory, environment, errors=True))


def parse_boost(text: str) -> list[str]:
    """Four blanks for each level, a star behind what is enabled; what has something below it is a suite."""
    rows = [(len(match[1]) // 4, match[2], bool(match[3])) for line in text.splitlines() if (match := _BRANCH.fullmatch(line))]
    names: list[str] = []
    path: list[str] = []
    for number, (depth, name, enabled) in enumerate(rows):
        path[depth:] = [name]
        is_suite = number + 1 < len(rows) and rows[number + 1][0] > depth
        if enabled and not is_suite:
            names.append("/".join(path))
    return names


def _libtest_tests(command: list[str], directory: str, environment: Mapping[str, str]) -> list[str]:
    """Ignored ones are listed like the others, and once more by themselves."""

    def listed(*words: str) -> list[str]:
        text = listing(command, ["--list", "--format", "terse", *words], directory, environment)
        return [line.removesuffix(": test") for line in _lines(text) if line.endswith(": test")]

    ignored = set() if {"--ignored", "--include-ignored"} & set(command) else set(listed("--ignored"))
    return [name for name in listed() if name not in ignored]


def _lines(text: str) -> list[str]:
    return [line.strip() for line in text.splitlines() if line.strip()]


def _escaped(name: str, special: str) -> str:
    return "".join(f"\\{letter}" if letter in special else letter for letter in name)


def _has(*options: str) -> Callable[[Sequence[str]], bool]:
    return lambda words: any(word.partition("=")[0] in options for word in words)


def _has_positional(words: Sequence[str]) -> bool:
    return any(not word.startswith("-") for word in words)


GTEST = Framework(
    "googletest",
    gtest.looks_like_gtest,
    ("--gtest_list_tests",),
    gtest.list_tests,
    lambda argv, test: (*argv, f"--gtest_filter={test}"),
    gtest.chooses_one,
)
FRAMEWORKS = (
    GTEST,
    Framework(
        "Criterion",
        criterion.looks_like_criterion,
        ("--list",),
        criterion.list_tests,
        lambda argv, test: (*argv, criterion.FILTER, test),
        _has(criterion.FILTER),
    ),
    Framework(
        "Catch2",
        lambda path: holds(path, b"list-test-names-only", b"--allow-running-no-tests"),
        ("--list-test-names-only", "--list-tests", "--list-reporters", "--list-tags"),
        _catch2_tests,
        lambda argv, test: (*argv, _escaped(test, '\\,[]*"')),
        _has_positional,
    ),
    Framework(
        "doctest",
        lambda path: holds(path, b"list-test-cases"),
        ("--list-test-cases", "-ltc"),
        _doctest_tests,
        lambda argv, test: (*argv, f"--test-case={_escaped(test, ',')}"),
        _has("--test-case", "-tc"),
    ),
    Framework(
        "Boost.Test",
        lambda path: links(path, "libboost_unit_test_framework.so") or holds(path, b"list_content"),
        ("--list_content",),
        _boost_tests,
        lambda argv, test: (*argv, f"--run_test={test}"),
        _has("--run_test", "-t"),
    ),
    Framework(
        "libtest",
        lambda path: holds(path, b"RUST_TEST_THREADS"),
        ("--list",),
        _libtest_tests,
        lambda argv, test: (argv[0], *(word for word in argv[1:] if word in _LIBTEST), "--exact", test, "--test-threads=1"),
        _has("--exact"),
    ),
)
