"""A finding as a file: versioned JSON with the schedule, the options that give it its meaning, the orderings, and which build it was.

Invariant: such a file may come from anybody. It never says what to run: no argument, environment or path in it is used for anything but
showing it, and options that name files are only compared with those given. It is small, and a damaged one is an error in one line: one
that lost a step of its schedule would else be a bug that passes.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bpor.errors import UsageError
from bpor.lazy_dataclass import dataclass, replace
from bpor.model.schedule import Schedule
from bpor.report.finding import Finding
from bpor.settings import KNOBS, Settings
from bpor.store.checksum import is_whole, with_checksum
from bpor.store.directory import write_private
from bpor.store.limited import DamagedFile, field, read_json
from bpor.version import VERSION

if TYPE_CHECKING:
    from bpor.report.orderings import OrderedEvent, Ordering

FORMAT = 1
LIMIT = 16 << 20  # bytes
_MOST_ORDERINGS = 20_000
_PATHS = ("stdin", "control")  # options that name files: never taken from a file


@dataclass(frozen=True, slots=True)
class Build:
    """Which program it was: enough to tell that it was rebuilt."""

    name: str = ""
    build_id: str = ""
    sha256: str = ""

    def differs(self, other: Build) -> str:
        """What is not the same, in words; empty: the same program."""
        if self.build_id and other.build_id:
            return "" if self.build_id == other.build_id else f"build id {self.build_id[:12]} then, {other.build_id[:12]} now"
        return "" if self.sha256 == other.sha256 else f"contents {self.sha256[:12]} then, {other.sha256[:12]} now"


@dataclass(frozen=True, slots=True)
class FindingFile:
    kind: str
    summary: str
    schedule: Schedule
    build: Build = Build()
    options: tuple[tuple[str, Any], ...] = ()  # semantic ones that differ from the default
    orderings: tuple[Ordering, ...] = ()
    version: str = VERSION

    def apply(self, settings: Settings) -> Settings:
        """The settings it was found with. Raises UsageError if a file that it needs was not named by the user."""
        taken: dict[str, Any] = {}
        for name, value in self.options:
            knob = next((knob for knob in KNOBS if knob.field == name and knob.semantic), None)
            if knob is None:
                raise UsageError(f"it was found with an option that this version does not have: {name}")
            if name in _PATHS:
                if getattr(settings, name) is None:
                    raise UsageError(f"it was found with {knob.flag} {value}; give {knob.flag} yourself, a file names nothing to open")
            else:
                taken[name] = _same_type(name, value, knob.default)
        return replace(settings, **taken)


def file_of(finding: Finding, settings: Settings, build: Build) -> FindingFile:
    from bpor.report.orderings import locate_by, orderings_of

    options = tuple((k.field, getattr(settings, k.field)) for k in KNOBS if k.semantic and getattr(settings, k.field) != k.default)
    orderings = orderings_of(finding.trace, locate_by(finding.description)) if len(finding.schedule) <= _MOST_ORDERINGS else ()
    return FindingFile(str(finding.kind), finding.summary, finding.schedule, build, options, orderings[:_MOST_ORDERINGS])


def write_finding(path: Path, file: FindingFile) -> None:
    write_private(path, json.dumps(with_checksum(_to_json(file)), indent=1) + "\n")


def read_finding(path: str | Path) -> FindingFile:
    """Raises UsageError: unreadable, too large, damaged, or of a version to come."""
    name = str(path)
    value = read_json(path, LIMIT)
    if "bpor-native finding" not in value:
        raise DamagedFile(f"{name}: not a finding of bpor-native")
    number = field(value, "bpor-native finding", int, name)
    if number != FORMAT:
        raise UsageError(f"{name}: format {number}, this version reads format {FORMAT}; use the version that wrote it")
    program = field(value, "program", dict, name)
    try:
        schedule = Schedule.parse(field(value, "schedule", str, name))
    except ValueError as error:
        raise DamagedFile(f"{name}: damaged: {error}") from None
    found = FindingFile(
        kind=field(value, "kind", str, name),
        summary=field(value, "summary", str, name),
        schedule=schedule,
        build=Build(*(field(program, key, str, name) for key in ("name", "build_id", "sha256"))),
        options=tuple(field(value, "options", dict, name).items()),
        orderings=_orderings(field(value, "orderings", list, name), name),
        version=field(value, "version", str, name),
    )
    if not is_whole(value):
        raise DamagedFile(f"{name}: damaged: it is not what was written (its checksum is another)")
    return found


def _to_json(file: FindingFile) -> dict[str, Any]:
    build = file.build
    return {
        "bpor-native finding": FORMAT,
        "version": file.version,
        "kind": file.kind,
        "summary": file.summary,
        "program": {"name": build.name, "build_id": build.build_id, "sha256": build.sha256},
        "options": dict(file.options),
        "schedule": str(file.schedule),
        "orderings": [[_event_to_json(ordering.before), _event_to_json(ordering.after)] for ordering in file.orderings],
    }


def _event_to_json(event: OrderedEvent) -> list[Any]:
    """[thread, place, operation, its n-th time there]: the place is `function:line#n` for readers."""
    return [event.thread, str(event), event.function, event.op, event.occurrence, event.line]


def _orderings(values: list[Any], name: str) -> tuple[Ordering, ...]:
    from bpor.report.orderings import Ordering

    try:
        return tuple(Ordering(_event(before), _event(after)) for before, after in values)
    except (TypeError, ValueError):
        raise DamagedFile(f"{name}: damaged: 'orderings' is not what it should be") from None


def _event(value: Sequence[Any]) -> OrderedEvent:
    from bpor.report.orderings import OrderedEvent

    thread, _, function, op, occurrence, line = value
    if [type(part) for part in (thread, function, op, occurrence, line)] != [str, str, str, int, int]:
        raise ValueError
    return OrderedEvent(thread, function, op, occurrence, line)


def _same_type(name: str, value: Any, default: Any) -> Any:
    if type(value) is not type(default):
        raise DamagedFile(f"damaged: option {name} is {value!r}")
    return value
