"""What is surveyed (subjects.toml), and the tests of it: files that stand for themselves, so that a maintainer can take them along."""

from __future__ import annotations

import itertools
import re
import sysconfig
import textwrap
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

MODES = ("off",) if sysconfig.get_config_var("Py_GIL_DISABLED") else ("real", "off")
BOUND = "preemption:1"


@dataclass(frozen=True)
class Subject:
    """Code of it is text: it is tested and shown as it is written."""

    package: str  # as PyPI spells it
    version: str
    what: str  # the class
    imports: str
    name: str  # of the object, in the code
    make: str
    observe: str
    operations: dict[str, str]
    with_gil: dict[str, str] = field(default_factory=dict)  # only there: too long to interleave access by access
    says: str = ""
    remark: str = ""
    upstream: str = ""  # the issue or the change, if there is one
    example: tuple[str, ...] = ()  # gil, first, second
    needs: tuple[str, ...] = ()  # other packages, which are built in the same way

    @property
    def every(self) -> dict[str, str]:
        return {**self.operations, **self.with_gil}

    @property
    def stem(self) -> str:
        """Of its file of tests."""
        return re.sub(r"\W+", "_", f"test {self.package} {self.version} {self.what}".lower())


@dataclass(frozen=True)
class Pair:
    """Two operations of a subject, at once, with the GIL or without."""

    subject: Subject
    gil: str
    first: str
    second: str

    def __str__(self) -> str:
        return f"{self.subject.stem}-{self.gil}-{self.first}-{self.second}"


def read_subjects() -> tuple[Subject, ...]:
    entries = tomllib.loads((Path(__file__).parent / "subjects.toml").read_text())["subject"]
    lists = ("example", "needs")
    return tuple(Subject(**{**entry, **{name: tuple(entry.get(name, ())) for name in lists}}) for entry in entries)


def pairs(subject: Subject) -> list[Pair]:
    usable = {"real": subject.every, "off": subject.operations}
    return [Pair(subject, gil, first, second) for gil in MODES for first, second in itertools.combinations_with_replacement(usable[gil], 2)]


def suite(subject: Subject, executions: int, seconds: int, modes: Sequence[str] = MODES, steps: int = 20_000, times: int = 1) -> str:
    """A file with every pair in these modes, each so many times."""
    lines = [f"    {name!r}: lambda {subject.name}: {code}," for name, code in subject.every.items()]
    chosen = [one for one in pairs(subject) if one.gil in modes]
    cases = [f"    pytest.param({one.first!r}, {one.second!r}, id={str(one)!r}, marks={one.gil})," for one in chosen]
    budget = f"max_executions={executions}, max_time={seconds}, max_steps={steps}"
    marks = [f'{gil} = pytest.mark.bpor(bound="{BOUND}", gil="{gil}", {budget})' for gil in modes]
    again = [f'@pytest.mark.parametrize("again", range({times}))'] if times > 1 else []
    test = [
        '@pytest.mark.parametrize(("first", "second"), CASES)',
        *again,
        f"def test_pair(bpor, first, second{', again' if again else ''}):",
        "    bpor.linearizable(make, OPERATIONS[first], OPERATIONS[second], observe=observe)",
    ]
    parts = ["import pytest", _object(subject), *marks, "OPERATIONS = {", *lines, "}", "CASES = [", *cases, "]", "", "", *test, ""]
    return "\n".join(parts)


def minimal(subject: Subject) -> str:
    """A file with the pair that is the example, and nothing else."""
    gil, *names = subject.example
    operations = ", ".join(f"lambda {subject.name}: {subject.every[name]}" for name in names)
    words = "_".join(re.sub(r"\W+", "_", name) for name in names)
    mark = f'@pytest.mark.bpor(bound="{BOUND}", gil="{gil}")'
    test = f"{mark}\ndef test_{words}(bpor):\n    bpor.linearizable(make, {operations}, observe=observe)\n"
    return f"import pytest\n{_object(subject)}\n{test}"


def _object(subject: Subject) -> str:
    make = textwrap.indent(subject.make.strip(), "    ")
    observe = f"def observe({subject.name}):\n    return {subject.observe}"
    return f"{subject.imports.strip()}\n\n\ndef make():\n{make}\n\n\n{observe}\n\n"
