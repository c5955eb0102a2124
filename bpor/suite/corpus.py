"""The corpus: findings that a team keeps beside its code, one directory per test. They are tried again before anything is searched.

Invariant: such a file says nothing about what to run (bpor/store/finding_file.py); the suite does. A file is never changed or removed here,
and a new one is written whole under a name made of what the bug is, so that the same bug is the same file.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from pathlib import Path

from bpor import api
from bpor.errors import UsageError
from bpor.lazy_dataclass import replace
from bpor.report.checked import Replayed
from bpor.report.finding import Finding
from bpor.report.result import Result
from bpor.report.sarif import fingerprint
from bpor.report.verdict import VerdictKind
from bpor.settings import Settings
from bpor.store.finding_file import Build, FindingFile, file_of, read_finding, write_finding
from bpor.store.record import build_of
from bpor.target.program import inspect_program

STILL_FAILS, FIXED, CANNOT = "still fails", "fixed", "cannot be replayed"


def settled(replayed: Replayed, result: Result) -> Replayed:
    """A schedule that the program no longer has is a bug that is gone if a whole search of its threads finds nothing."""
    interleaved = result.search is not None and result.search.counts.threads > 1
    if replayed.state != CANNOT or result.verdict.kind is not VerdictKind.PASS or not interleaved or replayed.damaged:
        return replayed
    return replace(replayed, state=FIXED, why=f"its schedule is gone, and {result.verdict.reason.partition(';')[0]} pass")


class Corpus:
    def __init__(self, directory: str | os.PathLike[str], test: str) -> None:
        self._path = Path(directory) / re.sub(r"[^A-Za-z0-9._+-]", "_", test)[:100]

    def files(self) -> list[Path]:
        return sorted(self._path.glob("*.json"))

    def replay(self, argv: Sequence[str], settings: Settings) -> tuple[tuple[Replayed, ...], Result | None]:
        """What became of each, and the result of the first that still fails."""
        tried = [_replayed(path, argv, settings) for path in self.files()]
        return tuple(replayed for replayed, _ in tried), next((result for _, result in tried if result is not None), None)

    def add(self, findings: Sequence[Finding], settings: Settings, build: Build) -> list[Path]:
        """Those that are not there yet."""
        added = []
        for finding in findings:
            path = self._path / f"{finding.kind.value}-{fingerprint(finding)[:12]}.json"
            if not path.exists():
                try:
                    self._path.mkdir(parents=True, exist_ok=True)
                    write_finding(path, file_of(finding, settings, build))
                    path.chmod(0o644)  # to be committed and read by others
                except OSError as error:
                    raise UsageError(f"{path}: {error.strerror}") from None
                added.append(path)
        return added


def build_now(argv: Sequence[str]) -> Build:
    program = inspect_program(argv[0])
    return build_of(program.path, program.elf.build_id if program.elf is not None else "")


def _replayed(path: Path, argv: Sequence[str], settings: Settings) -> tuple[Replayed, Result | None]:
    try:
        file = read_finding(path)
        settings = file.apply(settings)
    except UsageError as error:
        return Replayed(str(path), CANNOT, str(error), damaged=True), None
    result = api.replay_schedule(file.schedule, argv, settings)
    if _fails(result, file):
        return Replayed(str(path), STILL_FAILS, file.summary), result
    if result.verdict.kind is VerdictKind.PASS and result.trace is not None and result.trace.length >= len(file.schedule):
        return Replayed(str(path), FIXED, f"the schedule of {file.summary} passes now"), None
    again = api.replay_orderings(file.orderings, argv, settings) if file.orderings else result
    if _fails(again, file):
        return Replayed(str(path), STILL_FAILS, f"{file.summary}; the schedule is another one, its orderings are the same"), again
    return Replayed(str(path), CANNOT, _what_changed(file, argv, result)), None


def _fails(result: Result, file: FindingFile) -> bool:
    return any(finding.kind == file.kind for finding in result.findings)


def _what_changed(file: FindingFile, argv: Sequence[str], result: Result) -> str:
    differs = file.build.differs(build_now(argv))
    ended = "it ends before the schedule does" if result.verdict.kind is VerdictKind.PASS else result.verdict.reason
    return f"the program {f'was rebuilt ({differs})' if differs else 'is the same'}; {ended}"
