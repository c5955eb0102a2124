"""Criterion programs: which tests one contains, so that each becomes a search of its own. How they run: csrc/intercept/criterion.c."""

from __future__ import annotations

import re
from collections.abc import Mapping

from bpor.suite.listing import links, listing

_LIBRARY = "libcriterion.so.3"  # what the runtime knows the structures of
FILTER = "--filter"
_TEST = re.compile(r"(?:├──|└──|\|--|`--) (\S+)( \(skipped\))?")


def looks_like_criterion(path: str) -> bool:
    return links(path, _LIBRARY)


def list_tests(command: list[str], directory: str, environment: Mapping[str, str]) -> list[str]:
    """`suite/test`; disabled ones are left out as the program itself would."""
    return parse_listing(listing(command, ["--list"], directory, environment))


def parse_listing(text: str) -> list[str]:
    """A line `suite: 2 tests` opens a suite, a branch is one of its tests."""
    names: list[str] = []
    suite = ""
    for line in text.splitlines():
        if match := _TEST.fullmatch(line.rstrip()):
            names += [] if match[2] else [f"{suite}/{match[1]}"]
        elif re.fullmatch(r"\S+: \d+ tests?", line):
            suite = line.partition(":")[0]
    return names
