"""What a run leaves in `.bpor/`, and what it finds there. If the directory cannot be written, the test runs all the same."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path

from bpor.errors import Uncontrolled, UsageError
from bpor.report.result import Result
from bpor.settings import Settings
from bpor.store.checkpoints import SqliteCheckpoints, identity
from bpor.store.directory import SEARCH, StateDirectory
from bpor.store.finding_file import Build
from bpor.store.place import Changes, Place
from bpor.store.record import build_of, keep
from bpor.store.short_names import shortened, with_place
from bpor.target.program import inspect_program

NOWHERE = "none"


def note(text: str) -> None:
    print(f"bpor-native: {text}", file=sys.stderr)


def directory_of(settings: Settings) -> StateDirectory:
    if settings.state == NOWHERE:
        raise UsageError("--state none: nothing is kept, so there is nothing to look at")
    return StateDirectory(settings.state)


def build_now(argv: Sequence[str]) -> Build:
    """Which program the name means now. Raises UsageError or Uncontrolled, as running it would."""
    program = inspect_program(argv[0])
    return build_of(program.path, program.elf.build_id if program.elf is not None else "")


class Kept:
    """The directory of one test while it runs; without a place to keep anything every method does nothing."""

    def __init__(self, argv: tuple[str, ...], settings: Settings, environment: Changes = (), started: str = ".") -> None:
        """`environment`: what differs here from that of the user, who is in the directory `started`."""
        self._argv, self._settings = argv, settings
        self._place, self._started = Place(os.getcwd(), environment), os.path.abspath(started)
        self._build = Build()
        self._test: Path | None = None
        if settings.state == NOWHERE:
            if settings.resume:
                raise UsageError("--resume needs what --state none does not keep")
            return
        try:
            self._build = build_now(argv)
        except Uncontrolled:
            return  # it will not run; that is a verdict, and the check's to say
        self._state = StateDirectory(os.path.join(self._started, settings.state))
        try:
            if settings.resume:
                self._state.adopt()
            self._test = self._state.test(argv, settings.process, self._elsewhere)
        except (OSError, UsageError) as error:
            if settings.resume:
                raise UsageError(f"--resume: {error}") from None
            if not settings.quiet:
                note(f"nothing is kept: {error}")

    @property
    def _elsewhere(self) -> Place | None:
        """Where it runs, if that is not where the user is."""
        here = os.path.realpath(self._place.directory) == os.path.realpath(self._started) and not self._place.environment
        return None if here else self._place

    def checkpoints(self) -> SqliteCheckpoints | None:
        if self._test is None:
            return None
        settings = self._settings
        files = [inspect_program(self._argv[0]).path]
        if settings.control is not None:
            from glob import glob  # for a pattern

            files += glob(settings.control)
        return SqliteCheckpoints(self._test / SEARCH, identity(self._argv, settings, files), settings.resume, note)

    def keep(self, result: Result) -> Result:
        """The last result, with short lines for what can be found here now. It is also what `replay last` repeats."""
        if self._test is None:
            return with_place(result, self._place) if self._elsewhere else result
        try:
            short = shortened(result, self._elsewhere is not None)
            keep(self._test, short, self._build, self._place)
            self._state.set_last(self._test)
            return short
        except OSError as error:
            note(f"the result is not kept: {error}")
            return result
