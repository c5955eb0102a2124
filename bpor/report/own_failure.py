"""OwnFailure: what the program itself said about its failure, in the words of its test framework.

A test framework catches the failed check, reports it and ends the process with a nonzero exit status. The exit status says nothing to
the programmer; the report does. It is read from what the failing execution printed. Invariant: it only gives a finding its words and its
place. Whether an execution failed is decided by how it ended, so output that looks like a report makes no finding.
"""

from __future__ import annotations

import os
import re
import signal
from functools import lru_cache

from bpor.lazy_dataclass import dataclass, replace
from bpor.model.trace import End, Outcome
from bpor.report.symbols_source import without_escapes

_OPERATORS = (" == ", " != ", " <= ", " >= ", " < ", " > ")
_OPPOSITE = {"==": "!=", "!=": "==", "<=": ">", ">=": "<", "<": ">=", ">": "<="}
_SUFFIX = re.compile(r"(?<=[\d.])[uUlLfFzZ]+$")
_COMPARED = re.compile(r"assert_(?:eq|ne)!\((?P<arguments>.*)")
_LONGEST = 240  # characters of `text`


@dataclass(frozen=True, slots=True)
class OwnFailure:
    framework: str  # "googletest"
    test: str = ""  # by its full name; empty if the output does not tell it
    file: str = ""  # as the framework printed it: it may be relative to where the program was compiled
    line: int = 0  # 0: the place is not told
    text: str = ""  # `cache.size() <= 2, actual 3`

    @property
    def headline(self) -> str:
        """`Cache.ConcurrentPuts failed, test_cache.cpp:29: cache.size() <= 2, actual 3`."""
        return f"{self.brief}: {self.text}" if self.text else self.brief

    @property
    def brief(self) -> str:
        """`Cache.ConcurrentPuts failed, test_cache.cpp:29`."""
        place = f"{os.path.basename(self.file)}:{self.line}" if self.line else ""
        return ", ".join(filter(None, (f"{self.test or 'a check'} failed", place)))


def own_failure(end: End) -> OwnFailure | None:
    """The first failure that a framework reported in an execution which ended like this; None: no report is known there."""
    if end.outcome is Outcome.EXIT:
        return _reported(end.stdout, end.stderr, False)
    return _reported(end.stdout, end.stderr, True) if end.outcome is Outcome.CRASH and end.code == signal.SIGABRT else None


@lru_cache(maxsize=64)
def _reported(stdout: bytes, stderr: bytes, aborted: bool) -> OwnFailure | None:
    """Of a program that aborted, only the reports that come with an abort: an earlier failed check need not have been the reason."""
    from bpor.report.own_failure_formats import ABORTING, FORMATS  # for findings only

    outputs = [without_escapes(data.decode("utf-8", "replace")).splitlines() for data in (stdout, stderr) if data]
    for read in ABORTING if aborted else FORMATS:
        for lines in outputs:
            found = read(lines)
            if found is not None:
                return found
    return None


def with_arguments(failure: OwnFailure, source: str) -> OwnFailure:
    """Rust tells the values of `assert_eq!` and not what was compared: that stands in the source, if the call is on one line."""
    match = _COMPARED.search(source)
    arguments = _arguments(match["arguments"]) if match is not None and failure.text.startswith("left ") else []
    if len(arguments) < 2:
        return failure
    operator, _, rest = failure.text.removeprefix("left ").partition(" right, actual ")
    left, _, right = rest.partition(" vs ")
    other = "" if same_value(arguments[1], right) else f" vs {right}"
    return replace(failure, text=f"{arguments[0]} {operator} {arguments[1]}, actual {left}{other}")


def _arguments(text: str) -> list[str]:
    """Of a call, up to its closing bracket; empty if that is not in the text."""
    found, depth, start, quoted = [], 0, 0, False
    for position, char in enumerate(text):
        if char == '"' and text[position - 1 : position] != "\\":
            quoted = not quoted
        if quoted:
            continue
        if char in ",)" and depth == 0:
            found.append(text[start:position].strip())
            start = position + 1
            if char == ")":
                return [argument for argument in found if argument]
        depth += (char in "([{") - (char in ")]}")
    return []


def in_one_line(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _LONGEST else line[: _LONGEST - 1] + "…"


def with_actual(expression: str, values: str) -> str:
    """`size() <= 2` and `3 <= 2` (or `3 > 2`, as Boost writes it) -> `size() <= 2, actual 3`; the values as they are if they tell more."""
    if not values or values == expression:
        return expression
    values = values.removeprefix("!(").removesuffix(")") if values.startswith("!(") else values
    compared = expression.removeprefix("!(").removesuffix(")") if expression.startswith("!(") else expression
    for operator in _OPERATORS:
        left, found, right = compared.partition(operator)
        for shown in (operator, f" {_OPPOSITE[operator.strip()]} "):
            actual, has, expected = values.partition(shown)
            if found and has and left.strip() and same_value(right, expected):
                return f"{expression}, actual {actual.strip()}"
    return f"{expression}, actual {values}"


def same_value(text: str, value: str) -> bool:
    """`2u` is 2."""
    return _SUFFIX.sub("", text.strip()) == value.strip()
