"""The baseline: what every test reached, as a file a team commits. A test may reach more, never less.

Invariant: a test that is gone from the suite, or whose search covers fewer schedules or sees less of the program, is a loss that is named.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any

from bpor.errors import UsageError
from bpor.lazy_dataclass import dataclass, replace
from bpor.report.checked import Checked
from bpor.report.output_file import write_whole
from bpor.report.result import Result
from bpor.search.bounds import parse_bound
from bpor.store.limited import DamagedFile, field, read_json
from bpor.suite.processes import program_of

FORMAT = 1
LIMIT = 16 << 20
_COVERAGE = ("calls", "machine", "atomics", "memory")
_ALL = "all"


@dataclass(frozen=True, slots=True)
class Reached:
    """Of one test: the strongest bound completed (`all`: every schedule; empty: none) and what was visible."""

    bound: str
    coverage: str

    @property
    def strength(self) -> tuple[int, int]:
        """(preemptions, fair bound) that were covered."""
        infinite = 1 << 62
        if self.bound == _ALL:
            return infinite, infinite
        if not self.bound:
            return -1, -1
        bound = parse_bound(self.bound)
        counted = [term.high for term in bound.terms if term.kind.value != "fair"]
        fair = bound.value_fair
        return min(counted, default=infinite), infinite if fair is None else fair

    def __str__(self) -> str:
        return {"": "no bound", _ALL: "all schedules"}.get(self.bound, f"all schedules within {self.bound}")


def reached_by(result: Result) -> Reached:
    level = result.search.strongest if result.search is not None else None
    if level is None:
        return Reached("", result.verdict.coverage)
    return Reached(_ALL if level.whole else str(level.bound), result.verdict.coverage)


def compare(tests: Sequence[Checked], baseline: dict[str, Reached]) -> list[Checked]:
    """The same tests, each with what it lost."""
    return [replace(tested, lost=_lost(reached_by(tested.result), baseline.get(tested.name))) for tested in tests]


def gone(names: Iterable[str], baseline: dict[str, Reached], run: Iterable[str] = ()) -> list[str]:
    """Tests of the baseline that the suite no longer has. Those that are processes of a program are known once that was run."""
    listed, ran = set(names), set(run)
    split = {program_of(name) for name in ran}
    return sorted(name for name in set(baseline) - listed - ran if program_of(name) not in listed or (program_of(name) in split))


def _lost(now: Reached, before: Reached | None) -> tuple[str, ...]:
    if before is None:
        return ()
    lost = []
    if any(mine < theirs for mine, theirs in zip(now.strength, before.strength, strict=True)):
        lost.append(f"{before} then, {now} now")
    if _COVERAGE.index(now.coverage) < _COVERAGE.index(before.coverage):
        lost.append(f"coverage {before.coverage} then, {now.coverage} now")
    return tuple(lost)


def read_baseline(path: str) -> dict[str, Reached]:
    value = read_json(path, LIMIT)
    number = field(value, "bpor-native baseline", int, path)
    if number != FORMAT:
        raise UsageError(f"{path}: format {number}, this version reads format {FORMAT}; write it anew with --write-baseline")
    return {name: _reached(name, entry, path) for name, entry in field(value, "tests", dict, path).items()}


def _reached(name: str, entry: Any, path: str) -> Reached:
    if not isinstance(entry, dict):
        raise DamagedFile(f"{path}: damaged: {name!r} is not what it should be")
    reached = Reached(field(entry, "complete", str, path), field(entry, "coverage", str, path))
    if reached.coverage not in _COVERAGE:
        raise DamagedFile(f"{path}: damaged: coverage {reached.coverage!r}")
    if reached.bound not in ("", _ALL):
        try:
            parse_bound(reached.bound)
        except UsageError as error:
            raise DamagedFile(f"{path}: damaged: {name!r}: {str(error).splitlines()[0]}") from None
    return reached


def write_baseline(path: str, tests: Sequence[Checked]) -> None:
    """Sorted, so that a change of it reads well in a review. What was there stays until the new one is whole."""
    entries = {tested.name: reached_by(tested.result) for tested in tests}
    document = {
        "bpor-native baseline": FORMAT,
        "tests": {name: {"complete": entries[name].bound, "coverage": entries[name].coverage} for name in sorted(entries)},
    }
    write_whole(path, json.dumps(document, indent=1) + "\n")
