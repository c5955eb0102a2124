"""The verbs list, show and clean: what `.bpor/` holds. They run nothing, and what an earlier version left never breaks them."""

from __future__ import annotations

import textwrap
from pathlib import Path

from bpor.cli.arguments import Command
from bpor.cli.state import directory_of
from bpor.errors import UsageError
from bpor.report.text_line import clip
from bpor.store.finding_file import read_finding
from bpor.store.record import findings_in, recall

_COLUMNS = 80
_MOST_LINES = 3


def list_tests(command: Command) -> int:
    if command.program:
        raise UsageError("list takes no test; bpor-native show TEST shows one")
    directory = directory_of(command.settings)
    tests = directory.tests()
    for test in tests:
        print("\n".join(_lines(test)))
    if not tests:
        print(f"nothing is kept in {directory.path}")
    return 0


def show(command: Command) -> int:
    """The last result of a test: what was run, the findings, the verdict."""
    directory = directory_of(command.settings)
    if len(command.program) > 1:
        raise UsageError("show takes one test")
    test = directory.find(command.program[0]) if command.program else directory.last()
    record = recall(test)
    print(f"{test.name}, {record.when}: {' '.join(record.argv)}")
    for number, path in enumerate(findings_in(test), 1):
        print(f"finding {number}: {_summary(path)}")
        print(f"  {path}")
    print(record.statement)
    return 0


def clean(command: Command) -> int:
    """Removes the tests named, or all."""
    directory = directory_of(command.settings)
    tests = [directory.find(name) for name in command.program] or directory.tests()
    for test in tests:
        directory.remove(test)
    print(f"{len(tests)} test{'s' * (len(tests) != 1)} removed")
    return 0


def _lines(test: Path) -> list[str]:
    """Its name, when, its arguments and what it said first; the conditions and the next command are what `show` is for."""
    try:
        record = recall(test)
    except UsageError:
        search = " (a search that was stopped; --resume goes on with it)" if any(test.glob("search.sqlite")) else ""
        return [f"{test.name}: no result that this version can read{search}"]
    said = textwrap.wrap(record.statement.partition("; coverage ")[0].partition("; next: ")[0], _COLUMNS - 4, break_on_hyphens=False)
    first = f"{test.name}  {record.when.replace('T', ' ').removesuffix('+00:00')}  {' '.join(record.argv[1:])}".rstrip()
    return [clip(first, _COLUMNS), *(f"    {line}" for line in said[:_MOST_LINES])]


def _summary(path: Path) -> str:
    try:
        file = read_finding(path)
    except UsageError as error:
        return str(error)
    return f"{file.summary}, schedule {file.schedule}"
