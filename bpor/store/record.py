"""The last result of a test, and what was run: `result.json`, with the findings beside it.

Invariant: written whole after a run; read leniently, because a later version must be able to list, show and clean what an earlier one left.
What is run again (`replay last`) is taken from a record that is as it was written, or not at all.
"""

from __future__ import annotations

import json
import os
import time
from pathlib import Path
from typing import Any

from bpor.errors import UsageError
from bpor.lazy_dataclass import dataclass
from bpor.report.json_report import to_json
from bpor.report.result import Result
from bpor.settings import KNOBS, Settings
from bpor.store.checksum import is_whole, of_file, with_checksum
from bpor.store.directory import write_private
from bpor.store.finding_file import Build, file_of, write_finding
from bpor.store.limited import read_json
from bpor.store.place import HERE, Place, place_of
from bpor.store.short_names import passing_file

FORMAT = 1
LIMIT = 256 << 20
RESULT = "result.json"


@dataclass(frozen=True, slots=True)
class Record:
    argv: tuple[str, ...]
    settings: Settings
    when: str
    document: dict[str, Any]  # the JSON report
    place: Place = HERE

    @property
    def statement(self) -> str:
        return str(self.document.get("statement", "?"))


def keep(directory: Path, result: Result, build: Build, place: Place) -> None:
    """A test's new last result; the findings of the one before it go."""
    for old in executions_in(directory):
        old.unlink(missing_ok=True)
    for number, finding in enumerate(result.findings, 1):
        file = file_of(finding, result.settings, build)
        write_finding(directory / f"finding-{number}.json", file)
        if finding.why is not None:
            write_finding(directory / f"passing-{number}.json", passing_file(finding.why, result.settings, file))
    document = {
        "bpor-native result": FORMAT,
        "when": time.strftime("%Y-%m-%dT%H:%M:%S+00:00", time.gmtime()),
        "argv": list(result.argv),
        "place": place.to_json(str(directory.parent.parent)),
        "settings": {knob.field: getattr(result.settings, knob.field) for knob in KNOBS},
        "result": to_json(result),
    }
    write_private(directory / RESULT, json.dumps(with_checksum(document)) + "\n")


def findings_in(directory: Path) -> list[Path]:
    return _numbered(directory, "finding-")


def executions_in(directory: Path) -> list[Path]:
    """The findings, and the executions that pass next to them."""
    return findings_in(directory) + _numbered(directory, "passing-")


def _numbered(directory: Path, prefix: str) -> list[Path]:
    files = (path for path in directory.glob(f"{prefix}*.json") if path.stem.removeprefix(prefix).isdigit())
    return sorted(files, key=lambda path: int(path.stem.removeprefix(prefix)))


def recall(directory: Path, to_run: bool = False) -> Record:
    """Raises UsageError if there is none that this version understands; `to_run`: or if it is not as it was written."""
    value = read_json(directory / RESULT, LIMIT)
    argv, settings, document = value.get("argv"), value.get("settings"), value.get("result")
    if (
        not (isinstance(argv, list) and argv and all(isinstance(word, str) for word in argv))
        or not isinstance(document, dict)
        or (to_run and not is_whole(value))
    ):
        raise UsageError(f"{directory / RESULT}: damaged, or of another version; run the test again, or bpor-native clean {directory.name}")
    known = settings if isinstance(settings, dict) else {}
    place = place_of(value.get("place"), str(directory.parent.parent))
    return Record(tuple(argv), _settings(known), str(value.get("when", "?")), document, place)


def _settings(values: dict[str, Any]) -> Settings:
    """What this version still knows, of a type it still has; the default for everything else."""
    defaults = Settings()
    known: dict[str, Any] = {}
    for knob in KNOBS:
        value, default = values.get(knob.field), getattr(defaults, knob.field)
        if value is not None and (default is None or type(value) is type(default) or (type(default), type(value)) == (float, int)):
            known[knob.field] = value
    return Settings(**known)


def build_of(path: str, build_id: str) -> Build:
    return Build(os.path.basename(path), build_id, of_file(path))
