"""The verb replay: `last`, a short name, a schedule, or a finding's file; once, printed whole, step by step, or under gdb.

Invariant: only `last` and a short name take the program from our own private directory. A file gives a schedule and its meaning, never
anything to run.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

from bpor import api
from bpor.cli.arguments import Command
from bpor.cli.python import behind_shim
from bpor.cli.run import reported
from bpor.cli.state import NOWHERE, build_now, directory_of, note
from bpor.errors import UsageError
from bpor.lazy_dataclass import dataclass, replace
from bpor.model.schedule import Schedule
from bpor.report.result import Result
from bpor.settings import KNOBS, Settings
from bpor.store.finding_file import FindingFile, read_finding
from bpor.store.place import HERE, Place
from bpor.store.record import Record, executions_in, findings_in, recall
from bpor.store.short_names import find_named, is_short_name, shortened

_USAGE = "replay needs `last`, a short name, or a schedule or file and a program: bpor-native replay SCHEDULE|FILE -- PROGRAM [arguments]"
_SCHEDULE = re.compile(r"[\d.*,()]*")


@dataclass(frozen=True, slots=True)
class ReplayRequest:
    """What is to be repeated."""

    argv: tuple[str, ...]
    settings: Settings
    schedule: Schedule
    file: FindingFile | None = None  # where it comes from
    place: Place = HERE


def replay(command: Command) -> int:
    settings = command.settings
    if settings.batch and not settings.gdb:
        raise UsageError("--batch belongs to --gdb")
    request = requested(behind_shim(command))
    if settings.gdb:
        from bpor.cli.debug import debug

        with request.place.entered():
            return debug(request.schedule, request.argv, request.settings)
    command = replace(command, program=request.argv, settings=request.settings)
    return reported(command, lambda: _repeated_there(request))


def _repeated_there(request: ReplayRequest) -> Result:
    """With the same short line that brought us here, where only what is kept knows the place."""
    with request.place.entered():
        result = repeat(request)
    return shortened(result, elsewhere=True) if request.place.differs else result


def requested(command: Command) -> ReplayRequest:
    what = command.schedule
    if what is None:
        raise UsageError(_USAGE)
    if what == "last":
        return _last(command)
    if is_short_name(what) and not os.path.exists(what):
        return _named(command, what)
    if not command.program:
        raise UsageError(_USAGE)
    if _SCHEDULE.fullmatch(what):
        return ReplayRequest(command.program, command.settings, api.read_schedule(what))
    if not os.path.exists(what):
        raise UsageError(f"{what!r} is neither a schedule such as 0*4,1*2,0 or 0*4(1,2)* nor a file")
    return _from_file(command.program, command.settings, read_finding(what))


def _last(command: Command) -> ReplayRequest:
    """The first finding of the last run, of the program that it ran (or of one that is given)."""
    directory = directory_of(command.settings)
    test = directory.last()
    record = recall(test, to_run=True)
    files = findings_in(test)
    if not files:
        raise UsageError(f"the last run ({' '.join(record.argv)}) found nothing to replay; it said: {record.statement}")
    return _kept(command, record, files[0])


def _kept(command: Command, record: Record, file: Path) -> ReplayRequest:
    """With the files that the program was given then, which no finding's file may name."""
    paths = {knob.field: getattr(record.settings, knob.field) for knob in KNOBS if knob.field in ("stdin", "control")}
    kept = {name: value for name, value in paths.items() if getattr(command.settings, name) is None}
    place = HERE if command.program else _still_there(record)
    settings, found = replace(command.settings, **kept), read_finding(file)
    with place.entered():
        return replace(_from_file(command.program or record.argv, settings, found), place=place)


def _still_there(record: Record) -> Place:
    """Where it was run; here if that is gone, because most programs do not mind, and one that does shows it by not repeating itself."""
    place = record.place
    if os.path.isdir(place.directory):
        return place
    note(f"{place.directory}, where {record.argv[0]} was run, is no longer there: it runs here")
    return replace(place, directory=HERE.directory)


def _named(command: Command, name: str) -> ReplayRequest:
    """By its short name: of what was run here, or, with the program given, among the files that lie here or in the corpus."""
    settings = command.settings
    state = directory_of(settings) if settings.state != NOWHERE else None
    for test in state.tests() if state is not None else ():
        if (found := find_named(name, executions_in(test))) is not None:
            return _kept(command, recall(test, to_run=True), found)
    beside = [*Path().glob("*.json"), *(Path(settings.corpus).rglob("*.json") if settings.corpus is not None else ())]
    if (found := find_named(name, beside)) is None:
        raise UsageError(f"no finding is called {name} in {settings.state} or among the files here; run the test again, or give its file")
    if not command.program:
        raise UsageError(f"{found}: a file does not say what to run: bpor-native replay {name} -- PROGRAM [arguments]")
    return _from_file(command.program, settings, read_finding(found))


def _from_file(argv: tuple[str, ...], settings: Settings, file: FindingFile) -> ReplayRequest:
    settings = file.apply(settings)
    if differs := file.build.differs(build_now(argv)):
        note(f"{argv[0]} is not the program that this was found in ({file.build.name}): {differs}; the schedule may not fit")
    return ReplayRequest(argv, settings, file.schedule, file)


def repeat(request: ReplayRequest) -> Result:
    """The schedule; if it does not fit any more, the orderings it stands for."""
    result = api.replay_schedule(request.schedule, request.argv, request.settings)
    file = request.file
    if file is None or not file.orderings or any(finding.kind == file.kind for finding in result.findings):
        return result
    again = api.replay_orderings(file.orderings, request.argv, request.settings)
    if not any(finding.kind == file.kind for finding in again.findings):
        return result
    note(f"the schedule no longer gives the {file.kind}, but its {len(file.orderings)} orderings do")
    return again
