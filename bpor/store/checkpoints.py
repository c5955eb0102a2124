"""Checkpoints: the search in `search.sqlite`, saved at most once a second, for `--resume`.

Invariant: a checkpoint is replaced in one transaction (pieces.py), so that a process killed at any moment leaves the last one or the one
before it. It is used only if it is as it was written (a checksum says so), in the same format and by the same minor version, for the same
files, arguments and options; otherwise the search begins anew, really, and a note says why.
"""

from __future__ import annotations

import json
import os
import re
import sqlite3
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any

from bpor.errors import BporError, Diverged
from bpor.model.executor import Describing, Executor
from bpor.model.plan import Plan
from bpor.search.explorer import Explorer, Frozen
from bpor.search.resume import CannotResume, NotKept, freeze, load_search, save_search, thaw
from bpor.settings import KNOBS, Settings
from bpor.store.checksum import of_file, of_parts
from bpor.store.pieces import Pieces
from bpor.target.census import is_system
from bpor.version import VERSION

INTERVAL = 1.0  # seconds
# Of what is saved. A release within a minor version reads what the one before it has saved, so this is raised whenever a search is saved
# otherwise, or a hash in it is computed otherwise (tests/unit/test_saved_format.py has a file of an earlier release).
FORMAT = 2
_OURS = "libbpor"
_SHARE = 20  # a checkpoint that takes long is made seldom: at most this part of the time goes into them
_DAMAGED = (sqlite3.Error, ValueError, KeyError, TypeError, IndexError)
# What may differ between the runs of one search.
_FREE = frozenset(
    {"max_executions", "max_time", "max_memory", "keep_going", "resume", "state", "watchdog", "engine", "workers"}
    | {"cluster", "send_files", "insecure_cluster"}
)
# Variables that describe the terminal, the session or the job, and that a program under test does not go by.
_HARMLESS = re.compile(
    r"_|PWD|OLDPWD|SHLVL|TERM|TERMINFO|COLORTERM|COLUMNS|LINES|WINDOWID|DISPLAY|WAYLAND_DISPLAY|HOSTNAME|LOGNAME|USER|MAIL|EDITOR|PAGER|LS_COLORS"
    r"|TMUX(_\w+)?|STY|SSH_\w+|XDG_\w+|DBUS_\w+|GPG_\w+|VTE_\w+|GITHUB_\w+|RUNNER_\w+|ACTIONS_\w+|CI(_\w+)?|GITLAB_\w+|BUILD_\w+|JENKINS_\w+"
    r"|PYTEST_\w+|BPOR_\w+|TMPDIR|MAKEFLAGS|MAKELEVEL|MFLAGS|INVOCATION_ID|JOURNAL_STREAM"
)
# Of the report's options, those that say what is done with an execution.
_TELLING = frozenset({"suppressions", "outcomes"})


def identity(argv: tuple[str, ...], settings: Settings, files: Iterable[str]) -> str:
    """What must be the same for a search to be the same, as far as it is known before the program runs; `files`: that it is made of."""
    knobs = [knob for knob in KNOBS if knob.field in _TELLING or (knob.group != "report" and knob.field not in _FREE)]
    named = [path for path in (*argv[1:], settings.stdin, settings.suppressions) if path is not None and os.path.isfile(path)]
    return json.dumps(
        {
            "version of this tool": f"{VERSION.rpartition('.')[0]}, format {FORMAT}",
            "arguments": argv,
            "options": {knob.flag: getattr(settings, knob.field) for knob in knobs},
            "files": {os.path.basename(path): of_file(path) for path in (*files, *named)},
            "environment": {name: of_parts([value]) for name, value in os.environ.items() if not _HARMLESS.fullmatch(name)},
        },
        sort_keys=True,
    )


def _difference(before: str, now: str) -> str:
    """In words."""
    try:
        then, here = json.loads(before), json.loads(now)
        what = next(key for key in here if then[key] != here[key])
        if not isinstance(here[what], dict):
            return f"the {what} changed"
        names = sorted(name for name in {*then[what], *here[what]} if then[what].get(name) != here[what].get(name))
        return f"the {what} changed ({', '.join(names[:3])}{', ...' * (len(names) > 3)})"
    except (*_DAMAGED, StopIteration, AttributeError):
        return "it is of another search"


def loaded(executor: Executor) -> str:
    """The files that the program stands on when it begins: its own libraries, plugins and extension modules. Our runtime is none of them: a
    later release may go on (FORMAT)."""
    if not isinstance(executor, Describing):
        return ""
    _, description = executor.describe(Plan(stop_after_prefix=True))
    names = ((os.path.basename(path), path) for _, path in description.modules)
    return json.dumps(sorted([name, of_file(path)] for name, path in names if not name.startswith(_OURS) and not is_system(name)))


class SqliteCheckpoints:
    def __init__(
        self,
        path: Path,
        identity: str,
        resume: bool,
        note: Callable[[str], None],
        interval: float = INTERVAL,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._path, self._identity, self._resume, self._note = path, identity, resume, note
        self._interval = interval
        self._clock = clock
        self._due = clock() + interval
        self._saving = True
        self._loaded = ""
        self._pieces = Pieces(path)
        self.last: Frozen | None = None

    def begin(self, explorer: Explorer, executor: Executor) -> None:
        self._loaded = loaded(executor)
        if not self._resume:
            self._remove()
        elif (saved := self._read()) is not None:
            try:
                load_search(explorer, saved, executor)
            except (Diverged, NotKept) as error:
                raise self._begin_anew(str(error)) from None
            except BporError:
                raise  # about the program, not about what was saved
            except Exception as error:  # it was written by us, and yet is not what we expect
                raise self._begin_anew(f"{self._path} is damaged ({error!r})") from None

    def executed(self, explorer: Explorer) -> None:
        if self._saving and self._clock() >= self._due:
            begun = self._clock()
            self._save(explorer)
            now = self._clock()
            self._due = now + max(self._interval, _SHARE * (now - begun))

    def end(self, explorer: Explorer) -> None:
        if self._saving:
            self._save(explorer)

    def _read(self) -> dict[str, Any] | None:
        try:
            saved = self._pieces.read()
            reason = "nothing was saved" if saved is None else self._refused(saved[0])
            if saved is not None and not reason:
                return thaw(*saved[1])
        except (*_DAMAGED, OSError) as error:
            reason = f"{self._path} is damaged ({error})"
        self._begin_anew(reason)
        return None

    def _refused(self, said: dict[str, str]) -> str:
        """Why what was saved is not used; empty: it is."""
        if said["identity"] != self._identity:
            return _difference(said["identity"], self._identity)
        return "" if said["loaded"] == self._loaded else "a library of the program changed"

    def _begin_anew(self, reason: str) -> CannotResume:
        """Nothing of it is mixed with what is saved next."""
        self._note(f"--resume: cannot be resumed: {reason}; the search begins anew")
        self.forget()
        return CannotResume()

    def forget(self) -> None:
        self._resume = False
        self._remove()

    def _remove(self) -> None:
        self.last = None
        with suppress(OSError):  # saving will say so
            self._pieces.remove()

    def _save(self, explorer: Explorer) -> None:
        state = save_search(explorer)
        if state is None:
            self._saving = False
            return
        self.last = freeze(state)
        try:
            self._pieces.write({"identity": self._identity, "loaded": self._loaded}, self.last)
        except (sqlite3.Error, OSError) as error:
            self._saving = False  # a full disk ends the saving, not the search
            self.last = None
            self._note(f"the search can no longer be saved for --resume: {error}")
