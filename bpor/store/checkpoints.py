"""Checkpoints: the search in `search.sqlite`, saved at most once a second, for `--resume`.

Invariant: a checkpoint is replaced in one transaction, so that a process killed at any moment leaves the last one or the one before it. It
is used only by the same version, for the same build, arguments and options; otherwise the search begins anew and a note says why.
"""

from __future__ import annotations

import json
import sqlite3
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from bpor.errors import Diverged
from bpor.model.executor import Executor
from bpor.search.explorer import Explorer
from bpor.search.resume import freeze, load_search, save_search, thaw
from bpor.settings import KNOBS, Settings
from bpor.store.finding_file import Build
from bpor.version import VERSION

INTERVAL = 1.0  # seconds
_SHARE = 20  # a checkpoint that takes long is made seldom: at most this part of the time goes into them
_DAMAGED = (sqlite3.DatabaseError, ValueError, KeyError, TypeError, IndexError)
# What may differ between the runs of one search.
_FREE = frozenset({"max_executions", "max_time", "keep_going", "resume", "state", "watchdog", "engine", "workers"})


def identity(argv: tuple[str, ...], settings: Settings, build: Build) -> str:
    """What must be the same for a search to be the same."""
    options = {knob.field: getattr(settings, knob.field) for knob in KNOBS if knob.group != "report" and knob.field not in _FREE}
    return json.dumps({"version": VERSION, "argv": argv, "options": options, "build": build.build_id or build.sha256}, sort_keys=True)


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

    def begin(self, explorer: Explorer, executor: Executor) -> None:
        if not self._resume:
            self._path.unlink(missing_ok=True)
            return
        saved = self._read()
        if saved is None:
            return
        try:
            load_search(explorer, saved, executor)
        except (*_DAMAGED, Diverged) as error:
            raise Diverged(0, "the search that was saved", "another program", f"{error}; run again without --resume") from None

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
            with self._open() as database:  # a new one is empty
                rows = dict(database.execute("select key, value from search"))
            if rows.get("identity") == self._identity:
                return thaw(rows["state"], [rows[f"table {number}"] for number in range(rows["tables"])])
            reason = "nothing was saved" if not rows else "the program, its arguments, the options or our version changed"
        except _DAMAGED as error:
            self._path.unlink(missing_ok=True)
            reason = f"{self._path} is damaged ({error})"
        self._note(f"--resume: {reason}; the search begins anew")
        return None

    def _save(self, explorer: Explorer) -> None:
        state = save_search(explorer)
        if state is None:
            self._saving = False
            return
        try:
            with self._open() as database:
                text, tables = freeze(state)
                rows: list[tuple[str, Any]] = [("identity", self._identity), ("state", text), ("tables", len(tables))]
                rows += [(f"table {number}", table) for number, table in enumerate(tables)]
                database.execute("delete from search")
                database.executemany("insert into search values (?, ?)", rows)
        except (sqlite3.Error, OSError) as error:
            self._saving = False  # a full disk ends the saving, not the search
            self._note(f"the search can no longer be saved for --resume: {error}")

    def _open(self) -> _Database:
        return _Database(self._path)


class _Database:
    """One connection, one transaction, closed at the end. No fsync: we guard against a killed process, not against a power cut."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def __enter__(self) -> sqlite3.Connection:
        if not self._path.exists():
            self._path.touch(mode=0o600)
        self._connection = sqlite3.connect(self._path, timeout=10)
        self._connection.execute("pragma synchronous = off")
        self._connection.execute("create table if not exists search (key text primary key, value)")
        return self._connection

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is None:
            self._connection.commit()
        self._connection.close()
