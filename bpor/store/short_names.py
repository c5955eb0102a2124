"""Short names of kept executions: `bpor-native replay q7x2k` where the schedule itself would fill the screen.

A name is made of the schedule and of the options that give it its meaning, so it is the same on every machine: whoever has the finding's
file can find it by its name. Invariant: a line that was short enough stays as it is, with the schedule in it, and needs no file.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Sequence
from pathlib import Path

from bpor.errors import UsageError
from bpor.lazy_dataclass import replace
from bpor.report.finding import Finding, Why
from bpor.report.next_command import command_line
from bpor.report.result import Result
from bpor.settings import Settings
from bpor.store.finding_file import FindingFile, file_of, read_finding
from bpor.store.place import Place

LONGEST = 200  # characters of a replay line
_LETTERS = "abcdefghjkmnpqrstuvwxyz"  # without those that are taken for digits
_SIGNS = _LETTERS + "23456789"
_LENGTH = 5


def short_name(file: FindingFile) -> str:
    said = json.dumps([str(file.schedule), sorted(file.options)])
    number = int.from_bytes(hashlib.sha256(said.encode()).digest()[:8], "big")
    number, first = divmod(number, len(_LETTERS))
    name = _LETTERS[first]
    while len(name) < _LENGTH:
        number, sign = divmod(number, len(_SIGNS))
        name += _SIGNS[sign]
    return name


def is_short_name(text: str) -> bool:
    return len(text) == _LENGTH and text[0] in _LETTERS and all(char in _SIGNS for char in text)


def passing_file(why: Why, settings: Settings, of: FindingFile) -> FindingFile:
    """The nearest execution that passes, as a file: it has a schedule and nothing that fails."""
    return replace(of, kind="pass", summary="the nearest execution that passes", schedule=why.schedule, orderings=())


def shortened(result: Result, elsewhere: bool = False) -> Result:
    """With lines of at most LONGEST characters, for a result that is kept. `elsewhere`: the test ran where the user is not, which only
    what is kept knows."""
    return replace(result, findings=tuple(_shortened(finding, result, elsewhere) for finding in result.findings))


def _shortened(finding: Finding, result: Result, elsewhere: bool) -> Finding:
    settings, argv = result.settings, () if elsewhere else result.argv
    file = file_of(finding, settings, build=FindingFile("", "", finding.schedule).build)
    if finding.why is not None and (elsewhere or len(finding.why.replay) > LONGEST):
        name = short_name(passing_file(finding.why, settings, file))
        finding = replace(finding, why=replace(finding.why, replay=_line(name, argv, settings)))
    if len(finding.replay) <= LONGEST and not elsewhere:
        return finding
    return replace(finding, replay=_line(short_name(file), argv, settings), whole_replay=finding.replay)


def with_place(result: Result, place: Place) -> Result:
    """Of a test that ran elsewhere and is not kept: the lines go there first."""
    return replace(result, findings=tuple(_going_to(finding, place) for finding in result.findings))


def _going_to(finding: Finding, place: Place) -> Finding:
    why = finding.why
    if why is not None:
        finding = replace(finding, why=replace(why, replay=place.shell_line(why.replay)))
    return replace(finding, replay=place.shell_line(finding.replay))


def _line(name: str, argv: Sequence[str], settings: Settings) -> str:
    """With the program, so that it says what it is about, unless that is too long; `.bpor/` knows the program."""
    place = [] if settings.state == Settings().state else ["--state", settings.state]
    whole = command_line(["replay", name], place, argv).removesuffix(" --")
    return whole if len(whole) <= LONGEST else command_line(["replay", name], place, ()).removesuffix(" --")


def find_named(name: str, paths: Iterable[Path]) -> Path | None:
    """The file among these whose execution has the name. What cannot be read is none."""
    for path in paths:
        try:
            if short_name(read_finding(path)) == name:
                return path
        except UsageError:
            continue
    return None
